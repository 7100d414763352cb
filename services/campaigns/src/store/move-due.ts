import type { Sql } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import type { Campaign } from '../domain/campaign.ts';
import type { CampaignStore } from '../domain/ports.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { readable } from './rows.ts';
import { talliesOf } from './tallies.ts';

/** Nobody waits for a campaign that is held, be it by another replica or by a verb: it comes later. */
const LOCK_DUE = `
  SELECT id::text FROM campaigns WHERE wake_at <= $1::timestamptz
  ORDER BY wake_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const MOVE = `
  UPDATE campaigns AS c SET status = moved.status, generation = moved.generation,
    withdrawal_owed = moved.withdrawal_owed, wake_at = moved.wake_at, started_at = moved.started_at,
    completed_at = moved.completed_at, updated_at = moved.updated_at
  FROM json_to_recordset($1::json) AS moved (id uuid, status text, generation int, withdrawal_owed boolean,
    wake_at timestamptz, started_at timestamptz, completed_at timestamptz, updated_at timestamptz)
  WHERE c.id = moved.id`;

/** What can't be read is behind all others when it comes again: it must not be in their way. */
const PUT_OFF = `UPDATE campaigns SET wake_at = $2::timestamptz + interval '1 minute' WHERE id = ANY ($1::uuid[])`;

/** A few statements for all of them, since many campaigns begin on the hour. */
export async function moveDue(
  tx: Prisma.TransactionClient,
  log: Log,
  ...[now, limit, decide]: Parameters<CampaignStore['moveDue']>
): Promise<Campaign[]> {
  const sql: Sql = tx;
  const locked = await sql.$queryRawUnsafe<{ id: string }[]>(LOCK_DUE, now.toISOString(), limit);
  if (locked.length === 0) return [];
  const ids = locked.map(({ id }) => id);
  const rows = await tx.campaign.findMany({ where: { id: { in: ids } } });
  const tallies = await talliesOf(tx, ids);
  const { campaigns, unreadable } = readable(rows, log);
  if (unreadable.length > 0) await sql.$executeRawUnsafe(PUT_OFF, unreadable, now.toISOString());
  const moved = campaigns.map((campaign) => ({ ...campaign, ...decide(campaign, tallies(campaign.id)) }));
  await sql.$executeRawUnsafe(MOVE, JSON.stringify(moved.map(toMove)));
  return moved;
}

function toMove(campaign: Campaign) {
  return {
    id: campaign.id,
    status: campaign.status,
    generation: campaign.generation,
    withdrawal_owed: campaign.withdrawalOwed,
    wake_at: campaign.wakeAt,
    started_at: campaign.startedAt,
    completed_at: campaign.completedAt,
    updated_at: campaign.updatedAt,
  };
}
