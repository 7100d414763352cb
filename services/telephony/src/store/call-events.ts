import type { Sql } from '@parley/kit/db';
import type { Happening } from '../domain/timeline/happening.ts';
import { storableJson } from './storable.ts';

export type CallHappening = { callId: string } & Happening;

/** The columns of happenings as JSON, to be read by `HAPPENINGS`. */
export const happeningRows = (happenings: readonly CallHappening[]): string =>
  storableJson(
    happenings.map(({ callId, at, type, ...rest }) => ({
      call_id: callId,
      at: at.toISOString(),
      type,
      detail: 'detail' in rest ? rest.detail : {},
    })),
  );

/** Happenings as rows, in their order (`n`), from a parameter that holds `happeningRows`. */
export const happeningsFrom = (parameter: string): string =>
  `ROWS FROM (json_to_recordset(${parameter}::json) AS (call_id uuid, at timestamptz, type text, detail json))
     WITH ORDINALITY AS told (call_id, at, type, detail, n)`;

const INSERT = `INSERT INTO call_events (call_id, at, type, detail)
  SELECT call_id, at, type, detail FROM ${happeningsFrom('$1')} ORDER BY n`;

/** Puts something on a call's timeline, in the transaction of the change that it tells of (D6.12). */
export async function recordCallEvent(tx: Sql, happening: CallHappening): Promise<void> {
  await recordCallEvents(tx, [happening]);
}

/** The same for many, in one statement. */
export async function recordCallEvents(tx: Sql, happenings: readonly CallHappening[]): Promise<void> {
  if (happenings.length === 0) return;
  await tx.$executeRawUnsafe(INSERT, happeningRows(happenings));
}
