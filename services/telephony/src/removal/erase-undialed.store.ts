import { queryRow, raw, sql } from '@parley/kit/db';
import type { PageStep } from '@parley/kit/removal';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';

const erasedRow = z.object({ erased: z.number(), found: z.number() });

/**
 * Requests that never became a call, refused and withdrawn ones: no call leads to them. One that has become a call is erased with it. One that waits
 * again, since its dial was undone, is refused by the next pass.
 */
export const eraseDials: PageStep = async (tx, { workspaceId, phoneNumber }, pages) => {
  const table = raw(pages.part);
  const row = await queryRow(
    tx,
    erasedRow,
    sql`
    WITH hit AS MATERIALIZED (
      SELECT t.ctid AS at, t.state FROM ${table} t
      WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid AND t.workspace_id = ${workspaceId}::uuid
        AND t.to_number = ${phoneNumber} AND t.state <> 'dialled' FOR NO KEY UPDATE OF t
    ), erased AS (
      UPDATE ${table} t SET to_number = '', dynamic_variables = '{}'
      FROM hit WHERE t.ctid = hit.at AND hit.state <> 'waiting' RETURNING 1
    )
    SELECT (SELECT count(*) FROM erased)::int AS erased, (SELECT count(*) FROM hit)::int AS found`,
  );
  const { erased = 0, found = 0 } = row ?? {};
  const waiting = found > erased ? 'a dial that waits' : null;
  return { removed: { dials: erased }, waiting };
};

/**
 * Simulated legs without a call in progress, such as of a caller whom no assistant answered, with what the caller was to say. A caller who has hung
 * up before a worker took the call is never offered to one again: that would make a call with the number after the erasure.
 */
export const eraseLegs =
  (clock: Clock): PageStep =>
  async (tx, { workspaceId, phoneNumber }, pages) => {
    const table = raw(pages.part);
    const row = await queryRow(
      tx,
      erasedRow,
      sql`
      WITH hit AS MATERIALIZED (
        SELECT t.ctid AS at, t.direction = 'outbound' OR t.taken OR t.ended_at IS NOT NULL
          OR (t.gives_up_at <= ${clock.now()}::timestamptz AND coalesce(t.offered_until < clock_timestamp(), true)) AS over
        FROM ${table} t
        WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid AND t.workspace_id = ${workspaceId}::uuid
          AND (t.from_number = ${phoneNumber} OR t.to_number = ${phoneNumber})
          AND NOT EXISTS (SELECT FROM calls c WHERE c.id = t.reference AND c.status <> 'completed')
        FOR NO KEY UPDATE OF t
      ), erased AS (
        UPDATE ${table} t SET from_number = '', to_number = '', script = NULL, taken = true
        FROM hit WHERE t.ctid = hit.at AND hit.over RETURNING 1
      )
      SELECT (SELECT count(*) FROM erased)::int AS erased, (SELECT count(*) FROM hit)::int AS found`,
    );
    const { erased = 0, found = 0 } = row ?? {};
    const waiting = found > erased ? 'a simulated caller whom no worker has taken' : null;
    return { removed: { simulated_legs: erased }, waiting };
  };
