import { gather, type Sql } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import type { EndCause, OriginateRequest } from '../../domain/carrier/port.ts';
import type { LegRecord } from './leg-events.ts';

export type LegRow = Omit<LegRecord, 'endedCause' | 'direction'> & {
  endedCause: string | null;
  direction: string;
};

export const LEG_COLUMNS = `id::text, reference::text, workspace_id::text AS "workspaceId", direction, from_number AS "from", to_number AS "to", ordinal,
  originated_at AS "originatedAt", answered_at AS "answeredAt", gives_up_at AS "givesUpAt", script,
  ended_at AS "endedAt", ended_cause AS "endedCause"`;

/** Only a number that answers every other time has its calls counted. */
const COUNTED = '%0009';

const INSERT = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json) AS row (id uuid, reference uuid, workspace_id uuid, from_number text,
      to_number text, originated_at timestamptz)
  ), counted AS (
    INSERT INTO simulated_alternations (workspace_id, to_number, dials)
    SELECT workspace_id, to_number, 1 FROM given WHERE to_number LIKE '${COUNTED}'
    ON CONFLICT (workspace_id, to_number) DO UPDATE SET dials = simulated_alternations.dials + 1
    RETURNING workspace_id, to_number, dials - 1 AS ordinal
  )
  INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at)
  SELECT id, reference, workspace_id, from_number, to_number, coalesce(ordinal, 0), originated_at
  FROM given LEFT JOIN counted USING (workspace_id, to_number)
  RETURNING id::text, ordinal`;

/** The simulated carrier's memory. */
export type LegStore = {
  /** One row per request, whatever there is for the reference already. */
  insert(request: OriginateRequest, at: Date): Promise<LegRecord>;
  /** The first leg of the reference. */
  find(reference: string): Promise<LegRecord | null>;
  /** An end that the number's plan doesn't tell. */
  end(reference: string, cause: EndCause, at: Date): Promise<void>;
  /** We pick up a call that came in, if its caller still waits. */
  answer(reference: string, at: Date): Promise<void>;
};

export function toLegRecord(row: LegRow): LegRecord {
  const { direction, endedCause } = row;
  return {
    ...row,
    direction: direction === 'inbound' ? 'inbound' : 'outbound',
    endedCause: endedCause as EndCause | null,
  };
}

const JUST_ORIGINATED = {
  direction: 'outbound',
  answeredAt: null,
  givesUpAt: null,
  script: null,
  endedAt: null,
  endedCause: null,
} as const;

type NewLeg = Omit<LegRecord, keyof typeof JUST_ORIGINATED | 'ordinal'>;
type Written = Pick<LegRecord, 'id' | 'ordinal'>;

export function createLegStore(sql: Sql): LegStore {
  // Those that leave in one breath cost one statement; two to the same counted number are refused, and written alone.
  const write = gather(async (legs: NewLeg[]) => {
    const rows = await sql.$queryRawUnsafe<Written[]>(INSERT, JSON.stringify(legs.map(toRow)));
    const ordinals = new Map(rows.map(({ id, ordinal }) => [id, ordinal]));
    return legs.map(({ id }) => ordinals.get(id) ?? 0);
  });
  return {
    insert: async ({ reference, workspaceId, from, to }, at) => {
      const leg = { id: newId(), reference, workspaceId, from, to, originatedAt: at };
      return { ...leg, ...JUST_ORIGINATED, ordinal: await write(leg) };
    },

    find: async (reference) => {
      const [row] = await sql.$queryRawUnsafe<LegRow[]>(
        `SELECT ${LEG_COLUMNS} FROM simulated_legs WHERE reference = $1::uuid ORDER BY originated_at, id LIMIT 1`,
        reference,
      );
      return row ? toLegRecord(row) : null;
    },

    end: async (reference, cause, at) => {
      await sql.$executeRawUnsafe(
        `UPDATE simulated_legs SET ended_at = $3::timestamptz, ended_cause = $2
         WHERE reference = $1::uuid AND ended_at IS NULL`,
        reference,
        cause,
        at,
      );
    },

    answer: async (reference, at) => {
      await sql.$executeRawUnsafe(
        `UPDATE simulated_legs SET answered_at = $2::timestamptz
         WHERE reference = $1::uuid AND answered_at IS NULL AND ended_at IS NULL AND gives_up_at > $2::timestamptz`,
        reference,
        at,
      );
    },
  };
}

function toRow({ id, reference, workspaceId, from, to, originatedAt }: NewLeg) {
  return {
    id,
    reference,
    workspace_id: workspaceId,
    from_number: from,
    to_number: to,
    originated_at: originatedAt,
  };
}
