import { conflict } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import type { CallAccess } from './access-token.ts';
import { isOver } from './call-state.ts';
import type { WebCalls } from './ports.ts';

/** Stack time [web-calls.2]. */
const JOINABLE_MS = 60_000;

/** The end of an unjoined web call. */
export function joinableUntil(createdAt: Date): Date {
  return new Date(createdAt.getTime() + JOINABLE_MS);
}

/** Calls created before this can no longer be joined. */
export function joinableSince(now: Date): Date {
  return new Date(now.getTime() - JOINABLE_MS);
}

/** Locks a call to join it. A call that was joined can be joined again, however long it waits for a worker. */
export async function lockToJoin(
  tx: Tx,
  { webCalls, clock }: { webCalls: Pick<WebCalls, 'lock' | 'joined'>; clock: Pick<Clock, 'now'> },
  { workspaceId, callId }: CallAccess,
): Promise<{ call: Call; isJoined: boolean; now: Date }> {
  const call = await webCalls.lock(tx, workspaceId, callId);
  if (!call || call.state.phase === 'ended') throw isOver();
  const isJoined = (await webCalls.joined(tx, [call.id])).has(call.id);
  const now = clock.now();
  if (!isJoined && joinableUntil(call.createdAt) <= now) throw conflict('The call was not joined in time');
  return { call, isJoined, now };
}
