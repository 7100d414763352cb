import type { CampaignStatus } from '@parley/contracts';
import type { Outbox } from '@parley/kit/outbox';
import type { Pillar, Retirements } from '../domain/ports.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

type Tx = Prisma.TransactionClient;

/**
 * Held until the transaction ends. Creations share it, so that they don't wait for each other; a retirement has it alone.
 * Each statement after it sees what whoever held it before has committed.
 */
const keyOf = (workspaceId: string, { kind, id }: Pillar): string =>
  `retire ${workspaceId} ${kind} ${id.toLowerCase()}`;
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
const SHARE = 'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))';

/** The conditions of `campaigns_live_agent_idx` and `campaigns_live_number_idx`, word for word. */
const COLUMN = { assistant: 'agent_id', phone_number: 'phone_number_id' };
const liveOn = (kind: Pillar['kind']): string => `
  SELECT id::text, name, status FROM campaigns
  WHERE ${COLUMN[kind]} = $2::uuid AND workspace_id = $1::uuid AND status NOT IN ('completed', 'cancelled')
  ORDER BY id LIMIT 1`;

const FRESH = "at > clock_timestamp() - interval '60 seconds'";
/** In microseconds: whoever renews a retirement makes the receipts that were given before worthless. */
const RECEIPT = '(extract(epoch FROM at) * 1000000)::bigint';
/** No receipt where somebody else retired it and may count on it: two deletions of one thing at the same moment. */
const RETIRE = `
  WITH others AS (
    SELECT FROM retirements WHERE workspace_id = $1::uuid AND kind = $2 AND id = $3::uuid AND ${FRESH}
  )
  INSERT INTO retirements (workspace_id, kind, id) VALUES ($1::uuid, $2, $3::uuid)
  ON CONFLICT (workspace_id, kind, id) DO UPDATE SET at = clock_timestamp()
  RETURNING CASE WHEN NOT EXISTS (SELECT FROM others) THEN ${RECEIPT}::text END AS receipt`;
const FIND = `
  SELECT kind, id::text, ${FRESH} AS "isFresh" FROM retirements
  WHERE workspace_id = $1::uuid AND (kind, id) IN (SELECT * FROM unnest($2::text[], $3::uuid[])) ORDER BY kind`;
const LIFT = 'DELETE FROM retirements WHERE workspace_id = $1::uuid AND kind = $2 AND id = $3::uuid';
const TAKE_BACK = `${LIFT} AND ${RECEIPT} = $4::bigint`;
/** Owners are asked when a body has been read to its end: what is written after that takes minutes at most. */
const SWEEP = "DELETE FROM retirements WHERE at < clock_timestamp() - interval '1 day'";

export function createRetirementStore(
  prisma: PrismaClient,
  transaction: Outbox<Tx>['transaction'],
): Retirements {
  return {
    retire: (workspaceId, pillar) =>
      transaction(async (tx) => {
        await tx.$executeRawUnsafe(LOCK, keyOf(workspaceId, pillar));
        const [live] = await tx.$queryRawUnsafe<{ id: string; name: string; status: CampaignStatus }[]>(
          liveOn(pillar.kind),
          workspaceId,
          pillar.id,
        );
        if (live) return { live, receipt: null };
        const values = [workspaceId, pillar.kind, pillar.id];
        const [row] = await tx.$queryRawUnsafe<{ receipt: string | null }[]>(RETIRE, ...values);
        return { live, receipt: row?.receipt ?? null };
      }),

    takeBack: async (workspaceId, { kind, id }, receipt) =>
      (await prisma.$executeRawUnsafe(TAKE_BACK, workspaceId, kind, id, receipt)) > 0,

    hold: async (tx, workspaceId, pillars) => {
      for (const pillar of pillars) await tx.$executeRawUnsafe(SHARE, keyOf(workspaceId, pillar));
      const [kinds, ids] = [pillars.map(({ kind }) => kind), pillars.map(({ id }) => id)];
      return tx.$queryRawUnsafe(FIND, workspaceId, kinds, ids);
    },

    lift: async (tx, workspaceId, pillars) => {
      for (const { kind, id } of pillars) await tx.$executeRawUnsafe(LIFT, workspaceId, kind, id);
    },

    sweep: async () => {
      await prisma.$executeRawUnsafe(SWEEP);
    },
  };
}
