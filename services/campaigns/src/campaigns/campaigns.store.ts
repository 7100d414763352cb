import { type CampaignStatus, campaignStatus } from '@parley/contracts';
import { empty, queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import type { Outbox } from '@parley/kit/outbox';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { CampaignChange } from './apply-move.ts';
import type { Campaign, Tally } from './campaign.ts';
import { type Reader, talliesOf, toCampaign } from './campaign-rows.ts';

type Tx = Prisma.TransactionClient;

export type FoundCampaign = { campaign: Campaign; tally: Tally };

export type CampaignFilter = {
  workspaceId: string;
  status?: CampaignStatus | undefined;
  agentId?: string | undefined;
  /** Only campaigns of these assistants are visible [trust.9]. */
  within?: readonly string[] | undefined;
  /** Case-insensitive substring of the name. */
  search?: string | undefined;
  limit: number;
  offset: number;
};

/** Decides on a locked campaign; null changes nothing. Pure: it may run again. */
export type Decide = (campaign: Campaign, tally: Tally) => Partial<CampaignChange> | null;

/** Requests of lower generations that telephony has to withdraw. */
export type Withdrawal = Pick<Campaign, 'id' | 'workspaceId' | 'status' | 'generation'>;

export type CampaignStore = ReturnType<typeof createCampaignStore>;

export function createCampaignStore(
  prisma: PrismaClient,
  transaction: Outbox<Tx>['transaction'],
  { log, onChanged }: { log: Log; onChanged: (campaign: Campaign) => void },
) {
  return {
    insert: insertCampaign,
    lockStatus,
    grow,

    find: async (workspaceId: string, id: string): Promise<FoundCampaign | undefined> => {
      const row = await prisma.campaign.findFirst({ where: { id, workspaceId } });
      return row ? withTally(prisma, toCampaign(row)) : undefined;
    },

    list: async (filter: CampaignFilter): Promise<{ items: FoundCampaign[]; total: number }> => {
      const where = whereOf(filter);
      const { limit: take, offset: skip } = filter;
      const orderBy = [{ createdAt: 'desc' }, { id: 'desc' }] as const;
      const [total, rows] = await Promise.all([
        prisma.campaign.count({ where }),
        prisma.campaign.findMany({ where, orderBy: [...orderBy], take, skip }),
      ]);
      const ids = rows.map(({ id }) => id);
      const tallies = await talliesOf(prisma, ids);
      return { total, items: rows.map((row) => ({ campaign: toCampaign(row), tally: tallies(row.id) })) };
    },

    /** Locks, decides and writes in one transaction; returns the stored result. */
    change: async (where: { id: string; workspaceId?: string }, decide: Decide) => {
      const found = await transaction((tx) => change(tx, where, decide));
      if (found) onChanged(found.campaign);
      return found;
    },

    /** Decides on campaigns whose `wakeAt` has come, and writes them in one transaction. */
    moveDue: async (now: Date, limit: number, decide: Decide) => {
      const moved = await transaction((tx) => moveDue(tx, log, { now, limit, decide }));
      for (const campaign of moved) onChanged(campaign);
      return moved;
    },

    /** Running and dormant campaigns in which every contact has its outcome; of those given, or of all. */
    done: (limit: number, ids?: string[]) => findDone(prisma, limit, ids),

    /** Random ones, so that a withdrawal that fails can't block the others. */
    withPendingWithdrawal: (limit: number): Promise<Withdrawal[]> =>
      queryRows(
        prisma,
        withdrawalRow,
        sql`SELECT id::text, workspace_id::text AS "workspaceId", status, generation FROM campaigns
            WHERE withdrawal_owed ORDER BY random() LIMIT ${limit}`,
      ),

    /** Unless a newer withdrawal has become due. */
    withdrawalDone: async (id: string, generation: number): Promise<void> => {
      await prisma.campaign.updateMany({ where: { id, generation }, data: { withdrawalPending: false } });
    },

    forgetNumber: async (phoneNumberId: string, now: Date): Promise<void> => {
      const where = { phoneNumberId, phoneNumber: { not: null } };
      await prisma.campaign.updateMany({ where, data: { phoneNumber: null, updatedAt: now } });
    },
  };
}

const idRow = z.object({ id: z.string() });
const withdrawalRow = z.object({
  id: z.string(),
  workspaceId: z.string(),
  status: campaignStatus,
  generation: z.number(),
});

/** Sums of a few rows each. */
async function findDone(client: SqlClient, limit: number, ids: string[] | undefined): Promise<string[]> {
  const rows = await queryRows(
    client,
    idRow,
    sql`
    SELECT c.id::text FROM campaigns c
    WHERE c.status IN ('running', 'dormant')
      AND c.total_contacts <= (SELECT sum(t.succeeded + t.failed) FROM campaign_tallies t WHERE t.campaign_id = c.id)
      ${ids ? sql`AND c.id = ANY (${ids}::uuid[])` : empty}
    LIMIT ${limit}`,
  );
  return rows.map(({ id }) => id);
}

async function change(
  tx: Tx,
  where: { id: string; workspaceId?: string },
  decide: Decide,
): Promise<FoundCampaign | undefined> {
  await tx.$executeRaw(sql`SELECT id FROM campaigns WHERE id = ${where.id}::uuid FOR UPDATE`);
  const row = await tx.campaign.findFirst({ where });
  if (!row) return undefined;
  const found = await withTally(tx, toCampaign(row));
  const data = decide(found.campaign, found.tally);
  if (!data) return found;
  await tx.campaign.update({ where: { id: where.id }, data });
  return { ...found, campaign: { ...found.campaign, ...data } };
}

type MoveInput = { now: Date; limit: number; decide: Decide };

/**
 * A few statements for all of them, since many campaigns begin on the hour. Campaigns that another replica or a request has
 * locked are skipped until the next run; those that can't be parsed are retried a minute later, after all others.
 */
async function moveDue(tx: Tx, log: Log, { now, limit, decide }: MoveInput): Promise<Campaign[]> {
  const locked = await queryRows(
    tx,
    idRow,
    sql`SELECT id::text FROM campaigns WHERE wake_at <= ${now}::timestamptz
        ORDER BY wake_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
  );
  if (locked.length === 0) return [];
  const ids = locked.map(({ id }) => id);
  const rows = await tx.campaign.findMany({ where: { id: { in: ids } } });
  const tallies = await talliesOf(tx, ids);
  const invalid: string[] = [];
  const moved = rows.flatMap((row) => {
    try {
      const campaign = toCampaign(row);
      return [{ ...campaign, ...decide(campaign, tallies(campaign.id)) }];
    } catch (err) {
      log.error({ err, campaignId: row.id }, 'stored campaign is invalid');
      invalid.push(row.id);
      return [];
    }
  });
  if (invalid.length > 0) {
    await tx.campaign.updateMany({
      where: { id: { in: invalid } },
      data: { wakeAt: new Date(now.getTime() + 60_000) },
    });
  }
  await tx.$executeRaw(sql`
    UPDATE campaigns AS c SET status = moved.status, generation = moved.generation,
      withdrawal_owed = moved.withdrawal_owed, wake_at = moved.wake_at, started_at = moved.started_at,
      completed_at = moved.completed_at, updated_at = moved.updated_at
    FROM json_to_recordset(${JSON.stringify(moved.map(toMove))}::json) AS moved (id uuid, status text, generation int,
      withdrawal_owed boolean, wake_at timestamptz, started_at timestamptz, completed_at timestamptz,
      updated_at timestamptz)
    WHERE c.id = moved.id`);
  return moved;
}

function toMove(campaign: Campaign) {
  return {
    id: campaign.id,
    status: campaign.status,
    generation: campaign.generation,
    withdrawal_owed: campaign.withdrawalPending,
    wake_at: campaign.wakeAt,
    started_at: campaign.startedAt,
    completed_at: campaign.completedAt,
    updated_at: campaign.updatedAt,
  };
}

/** SQL, since the transaction is that of the contacts' COPY and not Prisma's. */
async function insertCampaign(tx: SqlClient, campaign: Campaign): Promise<void> {
  const businessHours = campaign.businessHours && JSON.stringify(campaign.businessHours);
  await tx.$executeRaw(sql`
    INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, phone_number, status, generation,
      withdrawal_owed, total_contacts, max_retries, retry_intervals, business_hours, scheduled_at, wake_at,
      started_at, completed_at, created_at, updated_at, last_contact_id)
    VALUES (${campaign.id}::uuid, ${campaign.workspaceId}::uuid, ${campaign.name}, ${campaign.agentId}::uuid,
      ${campaign.phoneNumberId}::uuid, ${campaign.phoneNumber}, ${campaign.status}, ${campaign.generation},
      ${campaign.withdrawalPending}, ${campaign.totalContacts}, ${campaign.maxRetries},
      ${campaign.retryIntervals}::integer[], ${businessHours}::jsonb, ${campaign.scheduledAt}::timestamptz,
      ${campaign.wakeAt}::timestamptz, ${campaign.startedAt}::timestamptz, ${campaign.completedAt}::timestamptz,
      ${campaign.createdAt}::timestamptz, ${campaign.updatedAt}::timestamptz, ${campaign.lastContactId}::uuid)`);
  await tx.$executeRaw(
    sql`INSERT INTO dial_lanes (phone_number_id) VALUES (${campaign.phoneNumberId}::uuid) ON CONFLICT DO NOTHING`,
  );
}

const statusRow = z.object({ status: campaignStatus });
const totalRow = z.object({ total: z.number() });

/** The status, fixed until `tx` ends; undefined: the workspace has no such campaign. */
async function lockStatus(
  tx: SqlClient,
  workspaceId: string,
  id: string,
): Promise<CampaignStatus | undefined> {
  const row = await queryRow(
    tx,
    statusRow,
    sql`SELECT status FROM campaigns WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid FOR UPDATE`,
  );
  return row?.status;
}

/** Counts added contacts of a locked campaign; returns the new total. */
async function grow(
  tx: SqlClient,
  { id, added, lastId, now }: { id: string; added: number; lastId: string; now: Date },
): Promise<number> {
  const row = await queryRow(
    tx,
    totalRow,
    sql`
    UPDATE campaigns SET total_contacts = total_contacts + ${added}::integer, updated_at = ${now}::timestamptz,
      last_contact_id = greatest(last_contact_id, ${lastId}::uuid)
    WHERE id = ${id}::uuid RETURNING total_contacts AS total`,
  );
  if (!row) throw new Error(`locked campaign ${id} does not exist`);
  return row.total;
}

async function withTally(reader: Reader, campaign: Campaign): Promise<FoundCampaign> {
  return { campaign, tally: (await talliesOf(reader, [campaign.id]))(campaign.id) };
}

function whereOf(filter: CampaignFilter): Prisma.CampaignWhereInput {
  const { workspaceId, status, agentId, within, search } = filter;
  return {
    workspaceId,
    ...(status ? { status } : {}),
    ...(agentId ? { agentId } : {}),
    ...(within ? { AND: { agentId: { in: [...within] } } } : {}),
    // Prisma passes `contains` to LIKE without escaping.
    ...(search ? { name: { contains: search.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } } : {}),
  };
}
