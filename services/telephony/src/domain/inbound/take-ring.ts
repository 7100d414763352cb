import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Call } from '../calls/call.ts';
import { endUntouched } from '../calls/end-untouched.ts';
import type { CallEndCause } from '../calls/judge-end.ts';
import type { Carrier, InboundRing } from '../carrier/port.ts';
import type { Transact, WorkspaceSettings } from '../ports.ts';
import type { CalledNumber, InboundCalls, InboundNumbers } from './ports.ts';

export type TakeRingDeps = {
  carrier: Pick<Carrier, 'reject'>;
  numbers: InboundNumbers;
  calls: InboundCalls;
  settings: WorkspaceSettings;
  transact: Transact;
  clock: Clock;
  log: Log;
  workerId: string;
  /** The call is this worker's: somebody has to be found who answers it. */
  receive: (call: Call) => void;
};

/**
 * A call came in: makes its row, once however often it is offered, and takes it into this worker's hands. An active
 * number alone can place calls, but every number takes them. One that nobody can answer any more ends with its row: the
 * caller is gone, the number was deleted, or its workspace has as many calls as it may have (D1.6). Rejects when it can't
 * tell yet: then it is offered again.
 */
export async function takeRing(deps: TakeRingDeps, ring: InboundRing): Promise<boolean> {
  const { carrier, calls, settings, transact, clock, log, workerId } = deps;
  const number = await calledNumber(deps, ring);
  const limits = number && (await settings.get(number.workspaceId));
  if (!number || !limits) {
    log.warn({ callId: ring.reference }, 'a call came in for a number that is nobody’s');
    await carrier.reject(ring.reference);
    return true;
  }
  const { call, refusal } = await transact(async (tx) => {
    const now = clock.now();
    const isFull = (await calls.countExactly(tx, number.workspaceId)) >= limits.maxLiveCalls;
    const cause = whyNot(ring, number, isFull);
    const inserted = await calls.insert(
      tx,
      { ring, number, rateCents: limits.rateCents, now },
      cause ? null : workerId,
    );
    if (inserted && cause)
      await calls.end(tx, inserted, endUntouched(inserted, cause, ring.goneAt ?? now), now);
    return { call: inserted, refusal: cause };
  });
  if (!call) return settleKnown(deps, ring);
  log.info({ callId: call.id, workspaceId: call.workspaceId, refusal }, 'a call came in');
  if (ring.goneAt) return true;
  if (refusal) await carrier.reject(call.id);
  else deps.receive(call);
  return true;
}

/** The number, if it is still whose it was when it was called. */
async function calledNumber(
  { numbers }: TakeRingDeps,
  { to, workspaceId }: InboundRing,
): Promise<CalledNumber | undefined> {
  const number = await numbers.findByDigits(to);
  if (workspaceId === null || number?.workspaceId === workspaceId) return number;
  return { id: null, workspaceId, inboundAgentId: null };
}

function whyNot({ goneAt }: InboundRing, { id }: CalledNumber, isFull: boolean): CallEndCause | null {
  if (goneAt) return 'remote';
  if (id === null) return 'no_assistant';
  return isFull ? 'too_many_calls' : null;
}

/** Offered once more: some worker has it, or it was turned away and the carrier may not have heard of that. */
async function settleKnown({ carrier, calls }: TakeRingDeps, { reference }: InboundRing): Promise<true> {
  if (await calls.isOver(reference)) await carrier.reject(reference);
  return true;
}
