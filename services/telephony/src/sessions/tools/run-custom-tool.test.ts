import { describe, expect, it } from '@jest/globals';
import type { SnapshotTool } from '@parley/contracts';
import { createLogger } from '@parley/kit/log';
import type { OutboundRequest, OutboundResult } from '@parley/kit/outbound';
import { createClock } from '@parley/kit/time';
import { dialingCall, START } from '../../../tests/session-parts.ts';
import { runCustomTool } from './run-custom-tool.ts';

const common = {
  requestHeaders: {},
  headers: {},
  bodyTruncated: false,
  bodyComplete: true,
  finalUrl: '',
  durationMs: 1_000,
};
const unsent = {
  ...common,
  ...{ outcome: 'connection_error', error: 'nobody listens', status: 0, body: '', requestSent: false },
} as OutboundResult;
const answered = {
  ...common,
  outcome: 'response',
  status: 200,
  body: '{"ok":true}',
  requestSent: true,
} as OutboundResult;

/** Runs a tool whose requests have these consecutive results; also returns the sent requests. */
async function run(...results: OutboundResult[]) {
  const sent: OutboundRequest[] = [];
  const deps = {
    outbound: {
      send: async (request: OutboundRequest) => {
        sent.push(request);
        return results[sent.length - 1];
      },
    },
    settings: { get: async () => ({ webhookSecrets: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`] }) },
    clock: createClock({ rate: 60, originMs: 0 }),
    log: createLogger({ service: 'telephony', level: 'silent' }),
  } as unknown as Parameters<typeof runCustomTool>[0];
  const tool = {
    tool_name: 'check_order',
    endpoint_url: 'https://example.com/tool',
    http_method: 'POST',
    headers: {},
    webhook_secrets: [],
    timeout_seconds: 5,
  } as unknown as SnapshotTool;
  const invocation = { id: 'use', at: START, tool, args: {}, call: dialingCall, spoken: [] };
  const outcome = await runCustomTool(
    deps,
    dialingCall.workspaceId,
    invocation,
    new AbortController().signal,
  );
  return { sent, outcome };
}

describe('runCustomTool', () => {
  it('retries a request once if no byte of it was sent [tools.21]', async () => {
    const { sent, outcome } = await run(unsent, answered);
    expect(outcome).toMatchObject({ result: { ok: true }, statusCode: 200, error: null });
    expect(sent.map(({ body }) => body)).toEqual([sent[0]?.body, sent[0]?.body]);
    const twice = await run(unsent, unsent, answered);
    expect(twice.sent).toHaveLength(2);
    expect(twice.outcome).toMatchObject({ result: null, statusCode: null, error: 'nobody listens' });
  });

  it.each<[string, Partial<OutboundResult>]>([
    ['it broke off when something of it was sent', { requestSent: true }],
    ['it ran out of time', { outcome: 'timeout' }],
    ['its address is refused', { outcome: 'address_refused' }],
    ['it was answered', { ...answered, status: 503 }],
  ])('but not when %s [tools.21]', async (_, result) => {
    expect((await run({ ...unsent, ...result } as OutboundResult, answered)).sent).toHaveLength(1);
  });

  it('applies timeout_seconds in real time to both requests together [tools.16] [running.1]', async () => {
    const { sent } = await run(unsent, answered);
    expect(sent.map(({ deadlineMs }) => deadlineMs)).toEqual([5_000, 4_000]);
    expect((await run({ ...unsent, durationMs: 5_000 }, answered)).sent).toHaveLength(1);
  });
});
