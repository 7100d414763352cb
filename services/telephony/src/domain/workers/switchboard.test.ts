import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import type { Call } from '../calls/call.ts';
import type { Carrier } from '../carrier/port.ts';
import { prepareAssistant } from '../conversation/prepare-prompt.ts';
import { createSwitchboard } from './switchboard.ts';

const AT = new Date('2026-01-31T08:00:00.000Z');
const WORKER = '00000000-0000-7000-8000-000000000001';

const call = (id: string, fence = 1): Call => ({
  id,
  workspaceId: WORKER,
  callType: 'outbound',
  phoneNumberId: null,
  fromNumber: '+12125550150',
  toNumber: '+12125550101',
  agentId: WORKER,
  agentVersion: 1,
  agentWebhookUrl: null,
  campaign: null,
  dynamicVariables: {},
  rateCents: 10,
  fence,
  createdAt: AT,
  state: {
    phase: 'dialing',
    callSid: null,
    startedAt: AT,
    answeredAt: null,
    endedAt: null,
    duration: null,
    cost: null,
    reason: null,
    machineDetected: false,
    voicemailMessageLeft: false,
    retryable: false,
  },
});

const snapshot = {
  agent_id: WORKER,
  agent_name: 'Demo',
  agent_type: 'Single Prompt',
  version: 1,
  webhook_url: null,
  config: {},
  tools: [],
};

/** A switchboard whose carrier keeps silent; what it let go of. */
function setUp() {
  const detached: string[] = [];
  const originated: string[] = [];
  const carrier: Carrier = {
    name: 'fake',
    capabilities: { machineDetection: true, transfer: false, sms: false, media: 'text' },
    watch: () => () => {},
    originate: async ({ reference }) => {
      originated.push(reference);
      return { legId: 'leg' };
    },
    attach: async () => true,
    detach: (reference) => void detached.push(reference),
    hangup: async () => {},
    transfer: async () => {},
    sendSms: async () => ({ messageId: '' }),
    media: () => undefined,
    health: async () => true,
  };
  const switchboard = createSwitchboard({
    carrier,
    clock: createClock({ rate: 1, originMs: 0 }),
    log: createLogger({ service: 'telephony', level: 'silent' }),
    owner: { workerId: WORKER },
    writes: { save: () => new Promise(() => {}) },
    turns: { append: () => {}, drained: async () => true, forget: () => {} },
    engine: { run: () => new Promise(() => {}) },
    runTool: () => new Promise(() => {}),
    departures: { depart: async () => {}, nextFreeAt: () => undefined },
    onEnded: () => {},
  });
  const dial = (...calls: Call[]): void =>
    switchboard.dial(
      calls.map((item) => ({
        call: item,
        assistant: prepareAssistant(snapshot, {}),
        slot: { at: AT, intervalMs: 1 },
      })),
    );
  return { switchboard, dial, detached, originated };
}

const held = (...calls: Call[]) => new Map(calls.map(({ id, fence }) => [id, fence]));

describe('compare', () => {
  it('lets go of what is another worker’s', async () => {
    const { switchboard, dial, detached } = setUp();
    dial(call('mine'), call('gone'), call('taken'));
    expect(await switchboard.compare(async () => held(call('mine'), call('taken', 2)))).toEqual([]);
    await switchboard.compare(async () => held(call('mine')));
    expect(detached).toEqual(['gone', 'taken']);
    expect(switchboard.size()).toBe(1);
    await switchboard.releaseAll();
  });

  it('keeps a call that was granted while the database was asked', async () => {
    const { switchboard, dial, detached } = setUp();
    const strays = await switchboard.compare(async () => {
      dial(call('new'));
      return held();
    });
    expect({ strays, detached, size: switchboard.size() }).toEqual({ strays: [], detached: [], size: 1 });
    await switchboard.releaseAll();
  });

  it('finds a held call without a session at the second look, unless it has come to one', async () => {
    const { switchboard, dial } = setUp();
    const both = async () => held(call('stray'), call('late'));
    expect(await switchboard.compare(both)).toEqual([]);
    dial(call('late'));
    expect(await switchboard.compare(both)).toEqual(['stray']);
    await switchboard.releaseAll();
  });
});

describe('dial', () => {
  it('leaves a call alone that was taken up as a stray meanwhile: it is settled, not dialled', async () => {
    const { switchboard, dial, originated } = setUp();
    await switchboard.takeOver([{ call: call('stray', 2), snapshot, record: [] }]);
    dial(call('stray'));
    expect(originated).toEqual([]);
    await switchboard.releaseAll();
  });
});
