import { transaction } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import type { AttemptRecord, Claim, DeliveryStore } from '../domain/delivery/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { lockCall } from './call-lock.ts';
import { hasNewerEdition, releaseNext } from './call-order.ts';
import { type ClaimCaps, claimDue } from './claim-due.ts';
import { tellExhausted } from './exhausted.ts';

const SUPERSEDED = { status: 'failed', reason: 'superseded', blocked: false, nextAttemptAt: null };

export function createDeliveryStore(prisma: PrismaClient, caps: ClaimCaps): DeliveryStore {
  return {
    claim: (most, now) => claimDue(prisma, caps, most, now),

    record: (claim, attempt, next, reason, now) =>
      transaction(prisma, async (tx) => {
        await lockCall(tx, claim.callId);
        const superseded = next.status === 'pending' && (await hasNewerEdition(tx, claim.id));
        const nextAttemptAt = next.status === 'pending' && !superseded ? next.nextAttemptAt : null;
        const { count } = await tx.event.updateMany({
          where: { id: claim.id, fence: claim.fence, status: 'pending' },
          data: {
            status: superseded ? 'failed' : next.status,
            nextAttemptAt,
            blocked: false,
            reason: superseded ? 'superseded' : reason,
            attempts: claim.attempts + (attempt ? 1 : 0),
            leaseUntil: null,
          },
        });
        if (count === 0) return false;
        if (attempt) await tx.attempt.create({ data: attemptRow(claim, attempt) });
        if (attempt && next.status === 'failed')
          await tellExhausted(tx, [{ eventId: claim.id, attempt }], now);
        if (nextAttemptAt === null) await releaseNext(tx, claim.callId, now);
        return true;
      }),

    giveBack: ({ id, callId, fence }, at) =>
      transaction(prisma, async (tx) => {
        await lockCall(tx, callId);
        const superseded = await hasNewerEdition(tx, id);
        const { count } = await tx.event.updateMany({
          where: { id, fence, status: 'pending' },
          data: superseded ? { ...SUPERSEDED, leaseUntil: null } : { leaseUntil: null, nextAttemptAt: at },
        });
        if (superseded && count > 0) await releaseNext(tx, callId, at);
      }),

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
