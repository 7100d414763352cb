import { z } from 'zod';
import { join, queryRow, raw, type SqlClient, type Statement, sql } from '../db/index.ts';
import { mentionOf } from './mention.ts';
import { inWorkspace, madeFrom } from './step.ts';
import type { PageStep } from './walk-table.ts';

export type MentionsOptions = {
  /** The name in the receipt; the table by default. */
  place?: string;
  columns: Record<string, 'text' | 'json' | 'jsonb'>;
  /** The condition of a row `t` of workspace `$1`; constant SQL. */
  ofWorkspace?: string;
  /** The column with the number of a row's own person, whose rows another step erases. */
  numberColumn?: string;
  /** Replaces the whole column if it is about the person: `isAbout` gets the digits; `value` is constant SQL of row `t`. */
  whole?: { isAbout: (digits: string) => string; value: string };
  /** Called with the distinct values of a column of the changed rows, to find their parents. */
  also?: { column: string; act: (tx: SqlClient, ids: string[]) => Promise<Record<string, number>> };
};

/** Postgres stores longer values apart from their row, mostly (TOAST). */
const SHORT_BYTES = 1_000;

const changedRow = z.object({ found: z.number(), changed: z.number(), ids: z.array(z.string()) });

/**
 * Masks the digits of a phone number wherever these columns mention it. Later passes only read rows that were written since the
 * previous one began.
 */
export function replaceMentions(options: MentionsOptions): PageStep {
  const { ofWorkspace = 't.workspace_id = $1::uuid', numberColumn, also, whole } = options;
  const columns = Object.entries(options.columns).map(([name, type]) => ({
    name: raw(name),
    type: raw(type),
    text: raw(type === 'text' ? `t.${name}` : `t.${name}::text`),
  }));
  const anyColumn = (test: Statement): Statement =>
    join(
      columns.map(({ text }) => sql`coalesce(${text} ${test}, false)`),
      ' OR ',
    );
  const bytes = join(
    columns.map(({ name }) => sql`coalesce(pg_column_size(t.${name}), 0)`),
    ' + ',
  );
  const id = raw(also ? `t.${also.column}::text` : 'NULL');

  return madeFrom(options, async (tx, { workspaceId, phoneNumber, sinceXid }, pages) => {
    if (phoneNumber === null) return { removed: {} };
    const { like, pattern, mask } = mentionOf(phoneNumber);
    const part = raw(pages.part);
    const sets = columns.map(({ name, type, text }) => {
      const masked = sql`regexp_replace(${text}, ${pattern}, ${mask}, 'g')::${type}`;
      if (!whole) return sql`${name} = ${masked}`;
      const about = whole.isAbout(phoneNumber.replace(/\D/g, ''));
      return sql`${name} = CASE WHEN ${text} ~ ${about} THEN ${raw(whole.value)} ELSE ${masked} END`;
    });
    const isOfOther = numberColumn ? sql`t.${raw(numberColumn)} IS DISTINCT FROM ${phoneNumber}` : sql`true`;
    const isOfWorkspace = sql`${isOfOther} AND ${inWorkspace(ofWorkspace, workspaceId)}`;
    const matches = sql`(${anyColumn(sql`LIKE ${like}`)}) AND (${anyColumn(sql`~ ${pattern}`)})`;
    const row = await queryRow(
      tx,
      changedRow,
      sql`WITH hit AS MATERIALIZED (
          SELECT t.ctid AS at FROM ${part} t
          WHERE t.ctid >= ${pages.from}::tid AND t.ctid < ${pages.to}::tid
            AND (${sinceXid}::text IS NULL OR age(t.xmin) <= age(${sinceXid}::text::xid))
            -- Long texts of other workspaces are not read; Postgres would order conditions by their estimated costs. Short ones are in the
            -- row already, and the workspace may have to be looked up.
            AND CASE
              WHEN ${bytes} < ${SHORT_BYTES}::int THEN ${matches} AND ${isOfWorkspace}
              WHEN ${isOfWorkspace} THEN ${matches}
              ELSE false
            END
        ), changed AS (
          UPDATE ${part} t SET ${join(sets)} FROM hit WHERE t.ctid = hit.at RETURNING ${id} AS id
        )
        SELECT (SELECT count(*) FROM hit)::int AS found, (SELECT count(*) FROM changed)::int AS changed,
          ARRAY (SELECT DISTINCT id FROM changed WHERE id IS NOT NULL) AS ids`,
    );
    const { found = 0, changed = 0, ids = [] } = row ?? {};
    const more = also && ids.length > 0 ? await also.act(tx, ids) : {};
    // A transaction that was in progress has changed the row: its new version, which may be on an earlier page, is not updated. The next pass updates it.
    const waiting = found > changed ? 'a row that is being changed' : null;
    return { removed: { [options.place ?? pages.table]: changed, ...more }, waiting };
  });
}
