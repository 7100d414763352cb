import type { Sql } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import type { EndCause, OriginateRequest } from '../../domain/carrier/port.ts';
import type { LegRecord } from './leg-events.ts';

type Row = Omit<LegRecord, 'endedCause'> & { endedCause: string | null };

const COLUMNS = `id::text, reference::text, to_number AS "to", ordinal, originated_at AS "originatedAt",
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
};

export function createLegStore(sql: Sql): LegStore {
  const toRecord = (row: Row): LegRecord => ({ ...row, endedCause: row.endedCause as EndCause | null });
  return {
    insert: async ({ reference, workspaceId, from, to }, at) => {
      // Only a number that answers every other time has its calls counted.
      const counts = to.endsWith('0009');
      const rows = await sql.$queryRawUnsafe<Row[]>(
        `${counts ? COUNTED : ''}
         INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at)
         SELECT $1::uuid, $2::uuid, $3::uuid, $4, $5, ${counts ? '(SELECT ordinal FROM counted)' : '0'}, $6::timestamptz
         RETURNING ${COLUMNS}`,
        newId(),
        reference,
        workspaceId,
        from,
        to,
        at,
      );
      const [row] = rows;
      if (!row) throw new Error('A simulated leg was not written');
      return toRecord(row);
    },

    find: async (reference) => {
      const [row] = await sql.$queryRawUnsafe<Row[]>(
        `SELECT ${COLUMNS} FROM simulated_legs WHERE reference = $1::uuid ORDER BY originated_at, id LIMIT 1`,
        reference,
      );
      return row ? toRecord(row) : null;
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
  };
}
