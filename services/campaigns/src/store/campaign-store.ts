import type { Sql } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import type { Outbox } from '@parley/kit/outbox';
import type { Campaign, Tally } from '../domain/campaign.ts';
import type { CampaignFilter, CampaignStore, Decide, Withdrawal } from '../domain/ports.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { listContacts } from './contact-pages.ts';
import { everyContact } from './every-contact.ts';
import { grow, holdStatus } from './grow-campaign.ts';
import { insertCampaign } from './insert-campaign.ts';
import { moveDue } from './move-due.ts';
import { toCampaign } from './rows.ts';
import { talliesOf } from './tallies.ts';
import { waitingContacts } from './waiting-contacts.ts';

type Tx = Prisma.TransactionClient;
type Reader = PrismaClient | Tx;

const NEWEST_FIRST = [{ createdAt: 'desc' }, { id: 'desc' }] as const;

/** Running and dormant campaigns whose last contact has its outcome; the sums are of a few rows each. */
const DONE = `
  SELECT c.id::text FROM campaigns c
  WHERE c.status IN ('running', 'dormant')
    AND c.total_contacts <= (SELECT sum(t.succeeded + t.failed) FROM campaign_tallies t WHERE t.campaign_id = c.id)`;
const OWING = `
  SELECT id::text, workspace_id::text AS "workspaceId", status, generation FROM campaigns
  WHERE withdrawal_owed ORDER BY random() LIMIT $1`;

export function createCampaignStore(
  prisma: PrismaClient,
  transaction: Outbox<Tx>['transaction'],
  log: Log,
): CampaignStore {
  return {
    insert: insertCampaign,
    holdStatus,
    grow,

    find: async (workspaceId, id) => {
      const row = await prisma.campaign.findFirst({ where: { id, workspaceId } });
      return row ? withTally(prisma, toCampaign(row)) : undefined;
    },

    list: async (filter) => {
      const where = whereOf(filter);
      const { limit: take, offset: skip } = filter;
      const [total, rows] = await Promise.all([
        prisma.campaign.count({ where }),
        prisma.campaign.findMany({ where, orderBy: [...NEWEST_FIRST], take, skip }),
      ]);
      const tallies = await talliesOf(
        prisma,
        rows.map(({ id }) => id),
      );
      return { total, items: rows.map((row) => ({ campaign: toCampaign(row), tally: tallies(row.id) })) };
    },

    contacts: (campaign, page) => listContacts(prisma, campaign, page),
    waiting: (campaignId, now) => waitingContacts(prisma, campaignId, now),
    everyContact: (campaign) => everyContact(prisma, campaign),

    change: (where, decide) => transaction((tx) => change(tx, where, decide)),

    moveDue: (now, limit, decide) => transaction((tx) => moveDue(tx, log, now, limit, decide)),

    done: async (limit, ids) => {
      const rows = await (ids
        ? prisma.$queryRawUnsafe<{ id: string }[]>(`${DONE} AND c.id = ANY ($2::uuid[]) LIMIT $1`, limit, ids)
        : prisma.$queryRawUnsafe<{ id: string }[]>(`${DONE} LIMIT $1`, limit));
      return rows.map((row) => row.id);
    },

    owingWithdrawal: (limit) => prisma.$queryRawUnsafe<Withdrawal[]>(OWING, limit),

    withdrawalDone: async (id, generation) => {
      await prisma.campaign.updateMany({ where: { id, generation }, data: { withdrawalOwed: false } });
    },

    forgetNumber: async (phoneNumberId, now) => {
      const where = { phoneNumberId, phoneNumber: { not: null } };
      await prisma.campaign.updateMany({ where, data: { phoneNumber: null, updatedAt: now } });
    },
  };
}

async function change(
  tx: Tx,
  where: { id: string; workspaceId?: string },
  decide: Decide,
): Promise<{ campaign: Campaign; tally: Tally } | undefined> {
  await (tx as Sql).$queryRawUnsafe('SELECT id FROM campaigns WHERE id = $1::uuid FOR UPDATE', where.id);
  const row = await tx.campaign.findFirst({ where });
  if (!row) return undefined;
  const found = await withTally(tx, toCampaign(row));
  const data = decide(found.campaign, found.tally);
  if (!data) return found;
  await tx.campaign.update({ where: { id: where.id }, data });
  return { ...found, campaign: { ...found.campaign, ...data } };
}

async function withTally(reader: Reader, campaign: Campaign): Promise<{ campaign: Campaign; tally: Tally }> {
  return { campaign, tally: (await talliesOf(reader, [campaign.id]))(campaign.id) };
}

function whereOf({ workspaceId, status, agentId, search }: CampaignFilter): Prisma.CampaignWhereInput {
  return {
    workspaceId,
    ...(status ? { status } : {}),
    ...(agentId ? { agentId } : {}),
    // Prisma passes `contains` to LIKE as it is.
    ...(search ? { name: { contains: search.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } } : {}),
  };
}
