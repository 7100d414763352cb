import { transaction } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import type { AttemptRecord, Claim, DeliveryStore } from '../domain/delivery/ports.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { lockCall } from './call-lock.ts';
import { type ClaimCaps, claimDue } from './claim-due.ts';

export function createDeliveryStore(prisma: PrismaClient, caps: ClaimCaps): DeliveryStore {
  return {
    claim: (most, now) => claimDue(prisma, caps, most, now),

    record: (claim, attempt, next, reason, now) =>
      transaction(prisma, async (tx) => {
        await lockCall(tx, claim.callId);
        const { count } = await tx.event.updateMany({
          where: { id: claim.id, fence: claim.fence, status: 'pending' },
          data: {
            status: next.status,
            nextAttemptAt: next.status === 'pending' ? next.nextAttemptAt : null,
            blocked: false,
            reason,
            attempts: claim.attempts + (attempt ? 1 : 0),
            leaseUntil: null,
          },
        });
        if (count === 0) return false;
        if (attempt) await tx.attempt.create({ data: attemptRow(claim, attempt) });
        if (next.status !== 'pending') await releaseNext(tx, claim.callId, now);
        return true;
      }),

    giveBack: async ({ id, fence }, at) => {
      await prisma.event.updateMany({
        where: { id, fence, status: 'pending' },
        data: { leaseUntil: null, nextAttemptAt: at },
      });
    },

    nextDueAt: async (now) => {
      const next = await prisma.event.findFirst({
        where: { status: 'pending', nextAttemptAt: { gt: now } },
        orderBy: { nextAttemptAt: 'asc' },
        select: { nextAttemptAt: true },
      });
      return next?.nextAttemptAt ?? undefined;
    },
  };
}

/** The event of the call that waited for the one that is finished now: due at once, if nothing else is before it. */
async function releaseNext(tx: Prisma.TransactionClient, callId: string, now: Date): Promise<void> {
  await tx.$executeRaw`
    UPDATE events SET blocked = false, next_attempt_at = ${now}
    WHERE id = (
      SELECT id FROM events e
      WHERE e.call_id = ${callId}::uuid AND e.status = 'pending'
      ORDER BY e.position, e.edition LIMIT 1
    ) AND blocked
      -- call_ended may have been finished by its hold before call_started ever came.
      AND (position < 3 OR EXISTS (
        SELECT FROM events e WHERE e.call_id = ${callId}::uuid AND e.position = 2 AND e.status <> 'pending'
      ))`;
}

function attemptRow({ id: eventId, workspaceId, series, attempts }: Claim, attempt: AttemptRecord) {
  const { response, ...rest } = attempt;
  return {
    id: newId(),
    eventId,
    workspaceId,
    series,
    attempt: attempts + 1,
    ...rest,
    ...(response && { responseHeaders: response.headers, responseBody: response.body }),
  };
}
