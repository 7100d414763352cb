import { createBatcher } from '@parley/kit/concurrency';
import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import { z } from 'zod';
import type { EndCause, OriginateRequest } from '../call-control.ts';
import type { LegRecord } from './leg-record.ts';

export const LEG_COLUMNS = sql`id::text, reference::text, workspace_id::text AS "workspaceId", direction,
  from_number AS "from", to_number AS "to", ordinal, originated_at AS "originatedAt", answered_at AS "answeredAt",
  gives_up_at AS "givesUpAt", script, ended_at AS "endedAt", ended_cause AS "endedCause"`;

export const legRow: z.ZodType<LegRecord> = z.object({
  id: z.string(),
  reference: z.string(),
  workspaceId: z.string(),
  direction: z.enum(['outbound', 'inbound']),
  from: z.string(),
  to: z.string(),
  ordinal: z.number(),
  originatedAt: z.date(),
  answeredAt: z.date().nullable(),
  givesUpAt: z.date().nullable(),
  script: z.array(z.string()).nullable(),
  endedAt: z.date().nullable(),
  endedCause: z
    .enum([
      'remote',
      'local',
      'no_answer',
      'busy',
      'transient',
      'refused',
      'transferred',
      'lost',
      'rejected',
      'no_carrier',
    ])
    .nullable(),
});

const ordinalRow = z.object({ id: z.string(), ordinal: z.number() });

/** Numbers that answer every other call: only their calls are counted. */
const COUNTED = '%0009';

type NewOutboundLeg = Pick<OriginateRequest, 'reference' | 'workspaceId' | 'from' | 'to'>;

/** The legs of the simulated carrier. */
export type LegStore = {
  /** One row per request, even if the reference already has a leg. */
  insert(request: NewOutboundLeg, at: Date): Promise<LegRecord>;
  /** The first leg of the reference. */
  find(reference: string): Promise<LegRecord | null>;
  /** An end that is not part of the number's plan. */
  end(reference: string, cause: EndCause, at: Date): Promise<void>;
  /** Answers an inbound leg if its caller still waits. */
  answer(reference: string, at: Date): Promise<void>;
};

const JUST_ORIGINATED = {
  direction: 'outbound',
  answeredAt: null,
  givesUpAt: null,
  script: null,
  endedAt: null,
  endedCause: null,
} as const;

type NewLeg = Omit<LegRecord, keyof typeof JUST_ORIGINATED | 'ordinal'>;

export function createLegStore(client: SqlClient): LegStore {
  // Two legs to the same counted number in one batch are refused and then written alone.
  const write = createBatcher(async (legs: NewLeg[]) => {
    const rows = await queryRows(
      client,
      ordinalRow,
      sql`
        WITH given AS (
          SELECT * FROM json_to_recordset(${JSON.stringify(legs.map(toRow))}::json) AS row (id uuid, reference uuid,
            workspace_id uuid, from_number text, to_number text, originated_at timestamptz)
        ), counted AS (
          INSERT INTO simulated_alternations (workspace_id, to_number, dials)
          SELECT workspace_id, to_number, 1 FROM given WHERE to_number LIKE ${COUNTED}
          ON CONFLICT (workspace_id, to_number) DO UPDATE SET dials = simulated_alternations.dials + 1
          RETURNING workspace_id, to_number, dials - 1 AS ordinal
        )
        INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at)
        SELECT id, reference, workspace_id, from_number, to_number, coalesce(ordinal, 0), originated_at
        FROM given LEFT JOIN counted USING (workspace_id, to_number)
        RETURNING id::text, ordinal`,
    );
    const ordinals = new Map(rows.map(({ id, ordinal }) => [id, ordinal]));
    return legs.map(({ id }) => ordinals.get(id) ?? 0);
  });
  return {
    insert: async ({ reference, workspaceId, from, to }, at) => {
      const leg = { id: newId(), reference, workspaceId, from, to, originatedAt: at };
      return { ...leg, ...JUST_ORIGINATED, ordinal: await write(leg) };
    },

    find: async (reference) =>
      (await queryRow(
        client,
        legRow,
        sql`SELECT ${LEG_COLUMNS} FROM simulated_legs WHERE reference = ${reference}::uuid
          ORDER BY originated_at, id LIMIT 1`,
      )) ?? null,

    end: async (reference, cause, at) => {
      await client.$executeRaw(sql`
        UPDATE simulated_legs SET ended_at = ${at}::timestamptz, ended_cause = ${cause}
        WHERE reference = ${reference}::uuid AND ended_at IS NULL`);
    },

    answer: async (reference, at) => {
      await client.$executeRaw(sql`
        UPDATE simulated_legs SET answered_at = ${at}::timestamptz
        WHERE reference = ${reference}::uuid AND answered_at IS NULL AND ended_at IS NULL
          AND gives_up_at > ${at}::timestamptz`);
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
