import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type {
  CallControl,
  LegEvent,
  LegSoFar,
  NumberConnection,
  OriginateRequest,
} from '../../src/carriers/call-control.ts';
import type { Carrier } from '../../src/carriers/carrier.ts';

/** The adapter of a carrier in two processes, what it can do, and far ends that show it. */
export type CarrierUnderTest = {
  carrier(): Carrier;
  /** The same carrier in another process. */
  other(): Carrier;
  capabilities: CallControl['capabilities'];
  /** It can press keys for the far end. */
  pressesKeys: boolean;
  /** Undefined: it cannot dial. */
  callees?: Callees;
  /** Undefined: no calls come in. */
  callers?: Callers;
  /** The processes that `receive` can offer a call to; by default none: web calls are found in the database. */
  offers?: 'to any process' | 'to one process';
  /** How a leg that another process hung up has ended, for one that attaches to it later: a SIP trunk only knows that it is gone. */
  endOfGoneLeg: 'local' | 'remote';
  /** What the platform would give another process that attaches to an answered leg. */
  soFar(reference: string): Promise<LegSoFar>;
};

/** Rejects if anything else arrived at the far end than it expected. */
type FarEnd = { done?(): Promise<void> };
export type Callee = FarEnd & {
  to: string;
  from: string;
  connection?: NumberConnection;
  /** Where a transfer of this call goes. */
  destination?: string;
};
export type Caller = FarEnd & {
  /** Of calls that `receive` does not offer. */
  reference?: string;
};

type Dialed = () => Promise<Callee>;
export type Callees = {
  /** Answers, and stays until we hang up. */
  answers: Dialed;
  isBusy: Dialed;
  /** Rings until we give up. */
  rings: Dialed;
  /** Answers, and hangs up. */
  hangsUp: Dialed;
  /** Answers, and stays while another process continues the call, until that one hangs up. */
  moves: Dialed;
  /** Answers, and is hung up by a process that has not attached to the leg. */
  isLeft: Dialed;
  /** Answers; a transfer to the destination connects it, or the destination is busy. */
  isTransferred?: Dialed;
  isNotTransferred?: Dialed;
  /** Answers, presses 5 and #, which the carrier reports as events, and hangs up. */
  pressesKeys?: Dialed;
  /** Answers, expects 1 and #, and stays until we hang up. */
  expectsKeys?: Dialed;
  isMachine?: Dialed;
  /** Answers; the response to `originate` is lost. */
  losesResponse?: Dialed;
  /** Answers, and replies to what it hears. */
  talks?: Dialed;
  /** The same; another process continues the call. */
  talksAndMoves?: Dialed;
};

type Calls = (from: string) => Promise<Caller>;
export type Callers = {
  /** Waits for our answer, and stays until we hang up. */
  waits: Calls;
  /** Hangs up while it rings. */
  givesUp: Calls;
  /** Hangs up before any process has taken its call. */
  givesUpUntaken?: Calls;
  /** Hangs up after our answer. */
  hangsUp: Calls;
  /** Is refused before an answer. */
  isDeclined: Calls;
  /** As `waits`; another process continues the call. */
  moves?: Calls;
  /** As `waits`; a process that has not attached to the leg hangs up. */
  isLeft?: Calls;
  /** Presses 5 and # after our answer, and hangs up. */
  pressesKeys?: Calls;
  /** Says "Hello?" and "Bye.", each after it was answered, and hangs up; with audio it replies to what it hears. */
  talks?: Calls;
};

export const NOTHING: LegSoFar = { humanTurns: 0, lastSpeaker: null, state: null };
export const DEADLINE = { timeoutMs: 30_000 };

/** The events of a leg that this process receives. */
export function listen(on: Carrier, reference: string) {
  const events: LegEvent[] = [];
  const stop = on.watch(reference, (event) => events.push(event));
  const until = <T extends LegEvent['type']>(type: T) =>
    eventually(() => {
      const found = events.find((event): event is Extract<LegEvent, { type: T }> => event.type === type);
      if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type)}`);
      return found;
    }, DEADLINE);
  /** All keys that were reported. */
  const keys = () => events.map((event) => (event.type === 'dtmf' ? event.digits : '')).join('');
  return { events, until, keys, stop };
}

/** A carrier may repeat an event, but not change it. */
export function expectOne(events: readonly LegEvent[], type: LegEvent['type']): void {
  const [first, ...repeated] = events.filter((event) => event.type === type);
  expect(first).toBeDefined();
  for (const event of repeated) expect(event).toEqual(first);
}

export const requestTo = (
  { to, from, connection }: Callee,
  more: Partial<OriginateRequest> = {},
): OriginateRequest => ({
  reference: randomUUID(),
  workspaceId: randomUUID(),
  from,
  to,
  ringTimeoutMs: 60_000,
  detectsMachine: true,
  openConnection: async () => {
    if (!connection) throw new Error('the number has no connection');
    return connection;
  },
  isTooLate: () => false,
  ...more,
});

/** Calls a far end; resolves once the request has left. */
export async function dial(on: Carrier, callee: Callee, more: Partial<OriginateRequest> = {}) {
  const request = requestTo(callee, more);
  const { reference } = request;
  const heard = listen(on, reference);
  const { legId, isSent } = await on.originate(request);
  expect(isSent).toBe(true);
  return { reference, legId, ...heard };
}
