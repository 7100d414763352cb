import { createLogger } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { prepareAssistant } from '../src/assistants/prepare-prompt.ts';
import type { Carrier } from '../src/carriers/carrier.ts';
import type { Departure } from '../src/dialer/dialer.ts';
import type { Call } from '../src/sessions/call.ts';
import type { SessionDeps } from '../src/sessions/call-session.ts';

export const START = new Date('2026-01-31T08:00:00.000Z');
export const ID = '00000000-0000-7000-8000-000000000001';

/** A call that has just been committed and not been sent to the carrier. */
export const dialingCall: Call = {
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
  stopCause: null,
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

export const snapshot = {
  agent_id: ID,
  agent_name: 'Demo',
  agent_type: 'Single Prompt',
  version: 1,
  webhook_url: null,
  config: {},
  tools: [],
};

export const assistant = prepareAssistant(snapshot, {});

/** A dial that leaves at once. */
export const departsNow: Departure = { leave: async (depart) => depart(), isTooLate: () => false };

/** A carrier that says yes to everything and tells nothing. */
export const silentCarrier: Carrier = {
  name: 'fake',
  capabilities: { transfer: false, takeover: 'reattach', media: 'text' },
  watch: () => () => {},
  originate: async () => ({ legId: 'leg', isSent: true }),
  receive: () => {},
  answer: async () => {},
  reject: async () => {},
  attach: async () => true,
  detach: () => {},
  hangup: async () => {},
  transfer: async () => {},
  sendSms: async () => ({ messageId: '' }),
  sendDigits: async () => {},
  media: () => undefined,
};

/** What a session works with; the database never answers. */
export const sessionDeps = (carrier: Carrier, clock: Clock): SessionDeps => ({
  carrier,
  openConnection: () => Promise.reject(new Error('no number')),
  clock,
  log: createLogger({ service: 'telephony', level: 'silent' }),
  owner: { workerId: ID, isLive: () => true },
  writes: { save: () => new Promise(() => {}), holds: async () => true },
  undoDial: async () => true,
  turns: { append: () => {}, correct: () => {}, drained: async () => true, forget: () => {} },
  toolsUnderWay: { begin: async () => true },
  findEngine: () => ({ capabilities: { nonBlockingTools: false }, run: () => new Promise(() => {}) }),
  runTool: () => new Promise(() => {}),
  decide: async () => undefined,
});
