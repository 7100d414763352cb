import type { Sql } from '@parley/kit/db';
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

const COUNTED = `
  WITH counted AS (
    INSERT INTO simulated_alternations (workspace_id, to_number, dials) VALUES ($3::uuid, $5, 1)
    ON CONFLICT (workspace_id, to_number) DO UPDATE SET dials = simulated_alternations.dials + 1
    RETURNING dials - 1 AS ordinal
  )`;

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

export function createLegStore(sql: Sql): LegStore {
  return {
    insert: async ({ reference, workspaceId, from, to }, at) => {
      // Only a number that answers every other time has its calls counted.
      const counts = to.endsWith('0009');
      const rows = await sql.$queryRawUnsafe<LegRow[]>(
        `${counts ? COUNTED : ''}
         INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at)
         SELECT $1::uuid, $2::uuid, $3::uuid, $4, $5, ${counts ? '(SELECT ordinal FROM counted)' : '0'}, $6::timestamptz
         RETURNING ${LEG_COLUMNS}`,
        newId(),
        reference,
        workspaceId,
        from,
        to,
        at,
      );
      const [row] = rows;
      if (!row) throw new Error('A simulated leg was not written');
      return toLegRecord(row);
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
