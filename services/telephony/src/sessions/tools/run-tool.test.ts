import { describe, expect, it } from '@jest/globals';
import type { SnapshotTool } from '@parley/contracts';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { assistant, dialingCall, START, silentCarrier } from '../../../tests/session-parts.ts';
import type { CallTool } from './call-tool.ts';
import { createArgumentCheck } from './check-arguments.ts';
import { createToolRunner } from './run-tool.ts';

/** Runs a tool of a call that another worker has taken over; answers with what left. */
async function runWithoutCall(source: CallTool['source'], tool_name: string) {
  const left: string[] = [];
  const leaves = (what: string) => async (): Promise<never> => {
    left.push(what);
    throw new Error('it left');
  };
  const run = createToolRunner({
    checkArguments: createArgumentCheck(),
    outbound: { send: leaves('request'), close: async () => {} },
    settings: { get: leaves('settings') },
    knowledge: { search: leaves('search') },
    carrier: { ...silentCarrier, sendSms: leaves('sms') },
    clock: createClock({ rate: 1, originMs: 0 }),
    log: createLogger({ service: 'telephony', level: 'silent' }),
  } as unknown as Parameters<typeof createToolRunner>[0]);
  const tool = { tool_name, source, parameters: null } as unknown as CallTool;
  const outcome = await run(
    { call: dialingCall, assistant, transfer: leaves('transfer'), begin: async () => false },
    { id: 'use', at: START, tool, args: { message: 'Hello', query: 'Hours?' } } as unknown as Parameters<
      typeof run
    >[1],
    new AbortController().signal,
  );
  return { left, error: outcome.error };
}

describe('a tool of a call that another worker holds', () => {
  const tool = (tool_name: string) =>
    ({
      tool_name,
      endpoint_url: 'https://example.com/tool',
      http_method: 'POST',
      headers: {},
      timeout_seconds: 30,
      native: { transfer_call_destination: '+14155550123' },
    }) as unknown as SnapshotTool;

  it.each<[string, CallTool['source']]>([
    ['check_order', { kind: 'custom', tool: tool('check_order') }],
    ['send_sms', { kind: 'native', tool: tool('send_sms') }],
    ['transfer_call', { kind: 'native', tool: tool('transfer_call') }],
    ['search', { kind: 'knowledge_base', knowledgeBaseIds: ['kb'] }],
  ])('%s is not used', async (name, source) => {
    expect(await runWithoutCall(source, name)).toEqual({
      left: [],
      error: 'The call belongs to another worker',
    });
  });
});
