import type { Outbox } from '@parley/kit/outbox';
import type { Campaign } from '../domain/campaign.ts';
import { isOpen } from '../domain/hours.ts';
import type { ClaimDials } from '../domain/ports.ts';
import { afterLast, shareSlots } from '../domain/share-slots.ts';
import type { Campaign as CampaignRow, Prisma } from '../generated/prisma/client.ts';
import { BY_INDEX } from './by-index.ts';
import { claimContacts, type Share } from './claim-contacts.ts';
import { HAS_DUE } from './due-contacts.ts';
import { groupBy } from './group-by.ts';
import { toCampaign } from './rows.ts';

type Tx = Prisma.TransactionClient;

/** A lane that another replica holds is being claimed for at this moment. One order for all, so that none wait in a ring. */
const LOCK_LANES = `
  SELECT phone_number_id::text AS id, last_campaign_id::text AS last FROM dial_lanes
  WHERE phone_number_id = ANY ($1::uuid[]) ORDER BY phone_number_id FOR UPDATE SKIP LOCKED`;
/** Asked once the lanes are held: who held them before has committed. */
const OUTSTANDING = `
  SELECT phone_number_id::text AS id, count(*)::int AS count FROM attempts
  WHERE phone_number_id = ANY ($1::uuid[]) AND state = 'requested' GROUP BY phone_number_id`;
/** FOR SHARE: a verb that has changed the status, or is about to, and a claim never overlap. */
const LOCK_CAMPAIGNS = `
  SELECT c.id::text, c.workspace_id::text AS "workspaceId", c.name, c.agent_id::text AS "agentId",
    c.phone_number_id::text AS "phoneNumberId", c.phone_number AS "phoneNumber", c.status, c.generation,
    c.withdrawal_owed AS "withdrawalOwed", c.total_contacts AS "totalContacts", c.last_contact_id::text AS "lastContactId", c.max_retries AS "maxRetries",
    c.retry_intervals AS "retryIntervals", c.business_hours AS "businessHours", c.scheduled_at AS "scheduledAt",
    c.wake_at AS "wakeAt", c.started_at AS "startedAt", c.completed_at AS "completedAt", c.created_at AS "createdAt",
    c.updated_at AS "updatedAt"
  FROM campaigns c
  WHERE c.phone_number_id = ANY ($2::uuid[]) AND c.status = 'running' AND ${HAS_DUE}
  ORDER BY c.id FOR SHARE`;
const SET_TURNS = `
  UPDATE dial_lanes l SET last_campaign_id = turn.campaign_id
  FROM unnest($1::uuid[], $2::uuid[]) AS turn (phone_number_id, campaign_id)
  WHERE l.phone_number_id = turn.phone_number_id AND l.last_campaign_id IS DISTINCT FROM turn.campaign_id`;

type Lane = { id: string; last: string | null; free: number };

/**
 * Claims contacts of some numbers in one transaction: holds their lanes, so that replicas can't exceed a window together;
 * reads their campaigns under a lock, so that pause and cancel come before or after, never between; writes the attempts
 * and asks for the dials.
 */
export function createClaimDials(transaction: Outbox<Tx>['transaction']): ClaimDials {
  return (windows, now) =>
    transaction(async (tx) => {
      await tx.$executeRawUnsafe(BY_INDEX);
      const lanes = await lockLanes(tx, windows);
      if (lanes.length === 0) return 0;
      const campaigns = await lockCampaigns(tx, lanes, now);
      const planned = lanes.map((lane) => share(lane, campaigns.get(lane.id) ?? []));
      const claimed = await claimContacts(
        tx,
        planned.flatMap(({ shares }) => shares),
        now,
      );
      const turns = planned.flatMap(({ lane, turn }) => (turn ? [{ lane, turn }] : []));
      if (turns.length > 0) {
        await tx.$executeRawUnsafe(
          SET_TURNS,
          turns.map(({ lane }) => lane.id),
          turns.map(({ turn }) => turn),
        );
      }
      return claimed;
    });
}

/** Those of them that have room in their window, and that nobody else claims for now. */
async function lockLanes(tx: Tx, windows: ReadonlyMap<string, number>): Promise<Lane[]> {
  type Row = Omit<Lane, 'free'>;
  const lanes = await tx.$queryRawUnsafe<Row[]>(LOCK_LANES, [...windows.keys()]);
  if (lanes.length === 0) return [];
  const counts = await tx.$queryRawUnsafe<{ id: string; count: number }[]>(
    OUTSTANDING,
    lanes.map(({ id }) => id),
  );
  const outstanding = new Map(counts.map(({ id, count }) => [id, count]));
  return lanes
    .map((lane) => ({ ...lane, free: (windows.get(lane.id) ?? 0) - (outstanding.get(lane.id) ?? 0) }))
    .filter(({ free }) => free > 0);
}

/** By number, in the order of their ids. */
async function lockCampaigns(tx: Tx, lanes: readonly Lane[], now: Date): Promise<Map<string, Campaign[]>> {
  const ids = lanes.map(({ id }) => id);
  const rows = await tx.$queryRawUnsafe<CampaignRow[]>(LOCK_CAMPAIGNS, now.toISOString(), ids);
  const open = rows.map(toCampaign).filter(({ businessHours }) => isOpen(businessHours, now));
  return groupBy(open, ({ phoneNumberId }) => phoneNumberId);
}

/** Who gets how much of a number's room, and whose turn was the last. */
function share(lane: Lane, campaigns: readonly Campaign[]): { lane: Lane; shares: Share[]; turn?: string } {
  const order = afterLast(campaigns, lane.last);
  const slots = shareSlots(lane.free, order.length);
  const shares = order.map((campaign, index) => ({ campaign, most: slots[index] ?? 0 }));
  // After a whole round the next one begins where this one began: its first had the odd slots last.
  const turn = shares.findLast(({ most }) => most > (slots.at(-1) ?? 0))?.campaign.id;
  return { lane, shares: shares.filter(({ most }) => most > 0), ...(turn ? { turn } : {}) };
}
