import type { Sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import { type Advance, type AttemptState, advanceAttempt } from '../domain/advance-attempt.ts';
import type { AttemptStore, OpenAttempt } from '../domain/ports.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { dialRequests } from './dial-request.ts';
import { toCampaign } from './rows.ts';

type Tx = Prisma.TransactionClient;

const OPEN = "state IN ('requested', 'dialled', 'answered')";
const FIND = `
  SELECT a.state, a.campaign_id::text AS "campaignId", a.contact_id::text AS "contactId", a.outcome, a.generation,
    c.attempts, c.last_outcome AS "lastOutcome", c.next_attempt_at AS "nextAttemptAt",
    p.status, p.max_retries AS "maxRetries", p.retry_intervals AS "retryIntervals"
  FROM attempts a
  JOIN contacts c ON c.campaign_id = a.campaign_id AND c.id = a.contact_id
  JOIN campaigns p ON p.id = a.campaign_id
  WHERE a.id = $1::uuid`;

/**
 * Attempt, contact and tally in one statement, if the attempt is still in the state that was decided on: an outcome is
 * counted exactly when the contact gets it. While an attempt is open nothing else writes its contact.
 */
const ADVANCE = `
  WITH attempt AS (
    UPDATE attempts SET state = $2, outcome = $3, news_at = $4::timestamptz WHERE id = $1::uuid AND state = $11
    RETURNING campaign_id, contact_id
  ), contact AS (
    UPDATE contacts c SET status = $5, attempts = $6, last_outcome = $7, next_attempt_at = $8::timestamptz,
      last_call_id = CASE WHEN $9::boolean THEN $1::uuid ELSE c.last_call_id END
    FROM attempt WHERE c.campaign_id = attempt.campaign_id AND c.id = attempt.contact_id
    RETURNING c.campaign_id
  ), tally AS (
    INSERT INTO campaign_tallies AS t (campaign_id, shard, succeeded, failed)
    SELECT campaign_id, $10::smallint, ($5 = 'succeeded')::int, ($5 = 'failed')::int FROM contact
    WHERE $5 IN ('succeeded', 'failed')
    ON CONFLICT (campaign_id, shard) DO UPDATE
      SET succeeded = t.succeeded + EXCLUDED.succeeded, failed = t.failed + EXCLUDED.failed
  )
  SELECT 1 FROM contact`;

const WITHOUT_NEWS = `
  SELECT id::text, news_at AS "newsAt" FROM attempts
  WHERE ${OPEN} AND news_at < $1::timestamptz ORDER BY news_at LIMIT $2`;
const TOUCH = `UPDATE attempts SET news_at = $2::timestamptz WHERE id = ANY ($1::uuid[]) AND ${OPEN}`;

type Row = {
  state: AttemptState;
  campaignId: string;
  contactId: string;
  outcome: string | null;
  generation: number;
  attempts: number;
  lastOutcome: string | null;
  nextAttemptAt: Date | null;
  status: string;
  maxRetries: number;
  retryIntervals: number[];
};

export function createAttemptStore(
  prisma: PrismaClient,
  transaction: Outbox<Tx>['transaction'],
): AttemptStore {
  return {
    settle: async (callId, news, now) => {
      for (;;) {
        const row = await find(prisma, callId);
        if (!row) return undefined;
        const isOver = row.status === 'cancelled' || row.status === 'completed';
        const advance = advanceAttempt({ state: row.state, contact: row }, news, { ...row, isOver });
        if (!advance) return undefined;
        // Refused where other news came first: an attempt has few states, so this ends.
        if (!(await write(prisma, callId, row, advance, now))) continue;
        const { status } = advance.contact;
        const isFinal = status === 'succeeded' || status === 'failed';
        return { campaignId: row.campaignId, isFinal, gaveCredit: row.state === 'requested' };
      }
    },

    withoutNews: (since, limit) =>
      prisma.$queryRawUnsafe<OpenAttempt[]>(WITHOUT_NEWS, since.toISOString(), limit),

    touch: async (ids, now) => {
      if (ids.length > 0) await prisma.$executeRawUnsafe(TOUCH, ids, now.toISOString());
    },

    askAgain: (callId, now) => transaction((tx) => askAgain(tx, callId, now)),
  };
}

async function find(sql: Sql, callId: string): Promise<Row | undefined> {
  const [row] = await sql.$queryRawUnsafe<Row[]>(FIND, callId);
  return row;
}

async function write(
  sql: Sql,
  callId: string,
  row: Row,
  { state, contact }: Advance,
  now: Date,
): Promise<boolean> {
  const isOver = state === 'ended' || state === 'refused';
  const written = await sql.$queryRawUnsafe<unknown[]>(
    ADVANCE,
    callId,
    state,
    isOver ? contact.lastOutcome : row.outcome,
    now.toISOString(),
    contact.status,
    contact.attempts,
    contact.lastOutcome,
    contact.nextAttemptAt?.toISOString() ?? null,
    contact.wasDialled,
    Number.parseInt(row.contactId.slice(-1), 16),
    row.state,
  );
  return written.length > 0;
}

async function askAgain(tx: Tx, callId: string, now: Date): Promise<'asked' | 'unwanted' | 'lost' | 'wait'> {
  await tx.$queryRawUnsafe('SELECT id FROM attempts WHERE id = $1::uuid FOR UPDATE', callId);
  const row = await find(tx, callId);
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
