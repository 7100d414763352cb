import { randomBytes, randomUUID } from 'node:crypto';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger, type Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { createHostGuard } from '@parley/kit/outbound';
import { createClock, monotonicMs } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import type { LegEvent, NumberConnection } from '../../src/carriers/call-control.ts';
import type { CalledTrunk } from '../../src/carriers/sip/inbound/find-caller.ts';
import type { SrvRecord } from '../../src/carriers/sip/signalling/locate-servers.ts';
import {
  createSipCarrier,
  type SipCarrier,
  type SipDeps,
  type SipSettings,
} from '../../src/carriers/sip/sip-carrier.ts';
import { createSipMetrics } from '../../src/carriers/sip/sip-metrics.ts';
import type { TracedMessage } from '../../src/carriers/sip/trace.ts';

const STOP_DEADLINE_MS = 5_000;

/** What processes of one platform share: the states of legs, and the numbers. */
export type SipWorld = {
  states: Map<string, unknown>;
  numbers: CalledTrunk[];
  /** The servers of every trunk that has a name: what DNS would say. */
  servers: SrvRecord[];
  /** Waited for when a number is looked up, and before a state is stored. */
  beforeLookUp?: (() => Promise<void>) | undefined;
  beforeSave?: (() => Promise<void>) | undefined;
  /** Before audio is sent to an address of the far end. */
  beforeAudio?: (() => void) | undefined;
  /** The number of a call's transfers. */
  own: { number: string; connection: NumberConnection };
};

export function sipWorld(): SipWorld {
  return {
    states: new Map(),
    numbers: [],
    servers: [],
    own: { number: '+12025550100', connection: trunkAt(9) },
  };
}

export type SipProcess = {
  carrier: SipCarrier;
  lifecycle: Lifecycle;
  trace: TracedMessage[];
  stop(): Promise<void>;
};

/** The SIP carrier as a worker has it, without a platform around it. */
export function sipProcess(
  world: SipWorld,
  settings: Partial<SipSettings> = {},
  log: Log = createLogger({ service: 'test', level: 'silent' }),
  more: Partial<Pick<SipDeps, 'metrics' | 'freeCalls' | 'guard' | 'isAllowedAddress'>> = {},
): SipProcess {
  const lifecycle = createLifecycle(log, { deadlineMs: STOP_DEADLINE_MS });
  const trace: TracedMessage[] = [];
  const carrier = createSipCarrier({
    settings: {
      workerId: randomUUID(),
      edgeUrls: [],
      listeners: [],
      publicHost: undefined,
      mediaAddress: '127.0.0.1',
      bindAddress: '127.0.0.1',
      rtpPorts: { min: 33_000, max: 45_000 },
      codecs: ['G722', 'PCMU', 'PCMA', 'opus'],
      digestSecret: randomBytes(16).toString('hex'),
      maxLegs: 500,
      ...settings,
    },
    guard: createHostGuard({ allowCidrs: ['127.0.0.0/8'] }),
    lookUpSrv: async () => world.servers,
    isAllowedAddress: (address) => {
      world.beforeAudio?.();
      return address.startsWith('127.');
    },
    findTrunks: async (number) => {
      await world.beforeLookUp?.();
      return world.numbers.filter(({ phoneNumber }) => phoneNumber === number);
    },
    findOwnNumber: async () => world.own,
    // As JSON, as the database has it.
    saveState: async (callId, state) => {
      await world.beforeSave?.();
      world.states.set(callId, JSON.parse(JSON.stringify(state)));
    },
    readState: async (callId) => world.states.get(callId) ?? null,
    freeCalls: () => 500,
    trace: (message) => void trace.push(message),
    metrics: createSipMetrics(createMetrics('test'), monotonicMs),
    clock: createClock({ rate: 1, originMs: Date.now() }),
    log,
    lifecycle,
    ...more,
  });
  return { carrier, lifecycle, trace, stop: () => lifecycle.stop('test') };
}

export function trunkAt(
  port: number,
  credentials: { username: string; password: string } | null = null,
  transport: 'udp' | 'tcp' | 'tls' = 'tcp',
): NumberConnection & { provider: 'hosted_sip' } {
  return { provider: 'hosted_sip', terminationUri: `127.0.0.1:${port}`, transport, credentials };
}

/** A call that this process places, and what is heard of it. */
export async function dial(
  { carrier }: SipProcess,
  connection: NumberConnection,
  options: {
    to?: string;
    from?: string;
    ringTimeoutMs?: number;
    reference?: string;
    isTooLate?: () => boolean;
    openConnection?: () => Promise<NumberConnection>;
  } = {},
) {
  const {
    to = '+12025550199',
    from = '+12025550100',
    ringTimeoutMs = 30_000,
    reference = randomUUID(),
    isTooLate = () => false,
    openConnection = async () => connection,
  } = options;
  const heard = watch(carrier, reference);
  const { legId, isSent } = await carrier.originate({
    reference,
    workspaceId: randomUUID(),
    from,
    to,
    ringTimeoutMs,
    detectsMachine: false,
    openConnection,
    isTooLate,
  });
  return { reference, legId, isSent, ...heard };
}

export function watch(carrier: SipCarrier, reference: string) {
  const events: LegEvent[] = [];
  carrier.watch(reference, (event) => void events.push(event));
  const until = <T extends LegEvent['type']>(type: T, timeoutMs = 15_000) =>
    eventually(
      () => {
        const found = events.find((event): event is Extract<LegEvent, { type: T }> => event.type === type);
        if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type)}`);
        return found;
      },
      { timeoutMs },
    );
  return { events, until };
}
