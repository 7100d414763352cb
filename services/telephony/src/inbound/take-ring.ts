import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { CallControl, InboundRing } from '../carriers/call-control.ts';
import type { Transact, WorkspaceSettings } from '../clients/ports.ts';
import type { CallMutex } from '../limits/call-mutex.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import type { CallEndCause } from '../sessions/judge-end.ts';
import type { CalledNumber, InboundCalls, InboundNumbers } from './ports.ts';

export type TakeRingDeps = {
  /** The carrier that offers the call. */
  carrier: Pick<CallControl, 'reject'> & { name: string };
  numbers: InboundNumbers;
  calls: InboundCalls;
  settings: WorkspaceSettings;
  /** So that many calls of one workspace leave database connections for others [trust.1]. */
  callMutex: CallMutex;
  transact: Transact;
  clock: Clock;
  log: Log;
  workerId: string;
  /** The worker holds the call, and selects its assistant. */
  receive: (call: Call) => void;
};

/**
 * Inserts an inbound call, once however often the carrier offers it, held by this worker. Inactive numbers receive calls as
 * well [numbers.11]. A call that cannot be answered ends as it is inserted: the caller has hung up, the number was deleted, or
 * the workspace is suspended [trust.24] or has its maximum of live calls [general.19]. Rejects if a dependency is unavailable:
 * the carrier offers the call again.
 */
export async function takeRing(deps: TakeRingDeps, ring: InboundRing): Promise<boolean> {
  const { carrier, calls, settings, transact, clock, log, workerId } = deps;
  const number = await calledNumber(deps, ring);
  const limits = number && (await settings.get(number.workspaceId));
  if (!number || !limits) {
    log.warn({ callId: ring.reference }, 'inbound call for an unknown number');
    await carrier.reject(ring.reference);
    return true;
  }
  const insert = async (tx: Tx) => {
    const now = clock.now();
    const isFull = (await calls.countExactly(tx, number.workspaceId)) >= limits.maxLiveCalls;
    const cause = limits.isSuspended && !ring.goneAt ? 'suspended' : refusalOf(ring, number, isFull);
    const inserted = await calls.insert(
      tx,
      { ring, carrier: carrier.name, number, rateCents: limits.rateCents, now },
      cause ? null : workerId,
    );
    if (inserted && cause)
      await calls.end(tx, inserted, endUntouched(inserted, cause, ring.goneAt ?? now), now);
    return { call: inserted, refusal: cause };
  };
  const { call, refusal } = await deps.callMutex(number.workspaceId, () => transact(insert));
  if (!call) return rejectIfOver(deps, ring);
  log.info({ callId: call.id, workspaceId: call.workspaceId, refusal }, 'inbound call');
  if (ring.goneAt) return true;
  if (refusal) await carrier.reject(call.id);
  else deps.receive(call);
  return true;
}

/** The trunk, which names the workspace, decides before the number [numbers.5]; also for a number that was deleted. */
async function calledNumber(
  { numbers }: TakeRingDeps,
  { to, workspaceId }: InboundRing,
): Promise<CalledNumber | undefined> {
  if (workspaceId === null) return numbers.findByDigits(to);
  const number = await numbers.findByNumber(workspaceId, to);
  return number ?? { id: null, workspaceId, inboundAgentId: null };
}

function refusalOf({ goneAt }: InboundRing, { id }: CalledNumber, isFull: boolean): CallEndCause | null {
  if (goneAt) return 'remote';
  if (id === null) return 'no_assistant';
  return isFull ? 'too_many_calls' : null;
}

/** A repeated offer: a worker holds the call, or it was rejected and the carrier may not know. */
async function rejectIfOver({ carrier, calls }: TakeRingDeps, { reference }: InboundRing): Promise<true> {
  if (await calls.isOver(reference)) await carrier.reject(reference);
  return true;
}
