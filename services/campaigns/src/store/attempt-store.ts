import { enqueue, type Outbox } from '@parley/kit/outbox';
import type { AttemptStore, OpenAttempt } from '../domain/ports.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { dialRequests } from './dial-request.ts';
import { toCampaign } from './rows.ts';
import { createSettle, findAttempts } from './settle-attempts.ts';

type Tx = Prisma.TransactionClient;

const OPEN = "state IN ('requested', 'dialled', 'answered')";

const WITHOUT_NEWS = `
  SELECT id::text, news_at AS "newsAt" FROM attempts
  WHERE ${OPEN} AND news_at < $1::timestamptz ORDER BY news_at LIMIT $2`;
const TOUCH = `UPDATE attempts SET news_at = $2::timestamptz WHERE id = ANY ($1::uuid[]) AND ${OPEN}`;

export function createAttemptStore(
  prisma: PrismaClient,
  transaction: Outbox<Tx>['transaction'],
): AttemptStore {
  return {
    settle: createSettle(prisma),

    withoutNews: (since, limit) =>
      prisma.$queryRawUnsafe<OpenAttempt[]>(WITHOUT_NEWS, since.toISOString(), limit),

    touch: async (ids, now) => {
      if (ids.length > 0) await prisma.$executeRawUnsafe(TOUCH, ids, now.toISOString());
    },

    askAgain: (callId, now) => transaction((tx) => askAgain(tx, callId, now)),
  };
}

async function askAgain(tx: Tx, callId: string, now: Date): Promise<'asked' | 'unwanted' | 'lost' | 'wait'> {
  await tx.$queryRawUnsafe('SELECT id FROM attempts WHERE id = $1::uuid FOR UPDATE', callId);
  const [row] = await findAttempts(tx, [callId]);
  if (row?.state === 'dialled' || row?.state === 'answered') return 'lost';
  if (row?.state !== 'requested') return 'wait';
  await tx.$queryRawUnsafe('SELECT id FROM campaigns WHERE id = $1::uuid FOR SHARE', row.campaignId);
  const { campaignId, contactId: id } = row;
  const campaign = toCampaign(await tx.campaign.findUniqueOrThrow({ where: { id: campaignId } }));
  // Until telephony has confirmed the withdrawal, the first request may still reach it and be dialled.
  if (campaign.withdrawalOwed) return 'wait';
  if (campaign.status !== 'running' || campaign.generation !== row.generation) return 'unwanted';
  const contact = await tx.contact.findUniqueOrThrow({ where: { campaignId_id: { campaignId, id } } });
  const customData = contact.customData as Record<string, unknown> | null;
  await enqueue(tx, dialRequests(campaign, [{ callId, contact: { ...contact, customData } }], now));
  await tx.$executeRawUnsafe(TOUCH, [callId], now.toISOString());
  return 'asked';
}
