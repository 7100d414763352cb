import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Carrier, LegEvent, LegListener } from '../carrier/port.ts';
import { prepareAssistant } from '../conversation/prepare-prompt.ts';
import type { Call } from './call.ts';
import { createCallSession } from './call-session.ts';

const START = new Date('2026-01-31T08:00:00.000Z');
const ID = '00000000-0000-7000-8000-000000000001';

const call: Call = {
  id: ID,
  workspaceId: ID,
  callType: 'outbound',
  phoneNumberId: ID,
  fromNumber: '+12125550150',
  toNumber: '+12125550101',
  agentId: ID,
  agentVersion: 1,
  agentWebhookUrl: null,
  campaign: null,
  dynamicVariables: {},
  rateCents: 10,
  fence: 1,
  createdAt: START,
  state: {
    phase: 'dialing',
    callSid: null,
    startedAt: START,
    answeredAt: null,
    endedAt: null,
    duration: null,
    cost: null,
    reason: null,
    machineDetected: false,
    voicemailMessageLeft: false,
    retryable: false,
  },
};

/** A clock whose timers run out when the test says so. */
function stoppedClock() {
  const timers: (() => void)[] = [];
  const clock: Clock = {
    rate: 1,
    now: () => START,
    realNow: () => START,
    toRealMs: (ms) => ms,
    sleep: () => new Promise(() => {}),
    timer: (_, fn) => {
      timers.push(fn);
      return () => {};
    },
  };
  return { clock, runOut: () => timers.splice(0).forEach((fn) => void fn()) };
}

/** A session whose carrier does nothing by itself, and whose database never answers. */
async function dialled() {
  const { clock, runOut } = stoppedClock();
  const hungUp: string[] = [];
  let listener: LegListener = () => {};
  const carrier: Carrier = {
    name: 'fake',
    capabilities: { machineDetection: true, transfer: false, sms: false, media: 'text' },
    watch: (_, listen) => {
      listener = listen;
      return () => {};
    },
    originate: async () => ({ legId: 'leg' }),
    attach: async () => true,
    detach: () => {},
    hangup: async (reference) => void hungUp.push(reference),
    transfer: async () => {},
    sendSms: async () => ({ messageId: '' }),
    media: () => undefined,
    health: async () => true,
  };
  const snapshot = {
    agent_id: ID,
    agent_name: 'Demo',
    agent_type: 'Single Prompt',
    version: 1,
    webhook_url: null,
    config: {},
    tools: [],
  };
  const session = createCallSession(
    {
      carrier,
      clock,
      log: createLogger({ service: 'telephony', level: 'silent' }),
      owner: { workerId: ID },
      writes: { save: () => new Promise(() => {}) },
      turns: { append: () => {}, drained: async () => true, forget: () => {} },
      engine: { run: () => new Promise(() => {}) },
      runTool: () => new Promise(() => {}),
    },
    { call, assistant: prepareAssistant(snapshot, {}), record: [], onOver: () => {} },
  );
  session.dial(Promise.resolve());
  await Promise.resolve();
  const tell = (type: 'ringing' | 'answered') =>
    listener({ type, legId: 'leg', at: START } satisfies LegEvent);
  return { tell, runOut, hungUp };
}

describe('ringTimeout (D3.3)', () => {
  it('hangs up on a number that rings on', async () => {
    const { tell, runOut, hungUp } = await dialled();
    tell('ringing');
    runOut();
    expect(hungUp).toEqual([ID]);
  });

  it('does not cut off somebody whose answer is not written yet', async () => {
    const { tell, runOut, hungUp } = await dialled();
    tell('ringing');
    tell('answered');
    runOut();
    expect(hungUp).toEqual([]);
  });
});
