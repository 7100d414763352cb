import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { applyVerdict, type Circuit, type CircuitRules, type DialVerdict } from './circuit.ts';
import type { Probe } from './plan-slots.ts';

const anyRow = z.object({ any: z.boolean() });

export const circuitRow = z.object({
  failures: z.number(),
  last_failed_at: z.date().nullable(),
  opened_at: z.date().nullable(),
  openings: z.number(),
  probe_at: z.date().nullable(),
  probe_call_id: z.string().nullable(),
});
const lockedRow = circuitRow.extend({ id: z.string() });

/** Columns of `number_circuits c`. */
export const circuitColumns = sql`c.failures, c.last_failed_at, c.opened_at, c.openings, c.probe_at,
  c.probe_call_id::text`;

export type Verdict = { phoneNumberId: string; callId: string; verdict: DialVerdict; at: Date };

/** Whether a number of the outcomes has failures that they may end. */
export async function anyFailing(client: SqlClient, verdicts: readonly Verdict[]): Promise<boolean> {
  if (verdicts.length === 0) return false;
  const row = await queryRow(
    client,
    anyRow,
    sql`SELECT EXISTS (SELECT FROM number_circuits
      WHERE phone_number_id = ANY (${idsOf(verdicts)}::uuid[]) AND failures > 0) AS any`,
  );
  return row?.any ?? false;
}

/** Applies the outcomes of dials in the transaction of their calls. Returns circuits that opened or closed. */
export async function applyVerdicts(
  tx: SqlClient,
  verdicts: readonly Verdict[],
  rules: CircuitRules,
): Promise<{ phoneNumberId: string; isOpen: boolean }[]> {
  if (verdicts.length === 0) return [];
  const failing = idsOf(verdicts.filter(({ verdict }) => verdict === 'failed'));
  if (failing.length > 0) await insertMissing(tx, failing);
  // A circuit without failures is neither locked nor written: most calls end without one.
  const rows = await queryRows(
    tx,
    lockedRow,
    sql`SELECT c.phone_number_id::text AS id, ${circuitColumns} FROM number_circuits c
    WHERE c.phone_number_id = ANY (${idsOf(verdicts)}::uuid[])
      AND (c.failures > 0 OR c.phone_number_id = ANY (${failing}::uuid[]))
    ORDER BY c.phone_number_id FOR UPDATE`,
  );
  const turned = [];
  for (const row of rows) {
    const before = toCircuit(row);
    const after = verdicts
      .filter(({ phoneNumberId }) => phoneNumberId === row.id)
      .reduce((circuit, verdict) => applyVerdict(circuit, verdict, rules), before);
    if (after !== before) await write(tx, row.id, after);
    const isOpen = after.openedAt !== null;
    if (isOpen !== (before.openedAt !== null)) turned.push({ phoneNumberId: row.id, isOpen });
  }
  return turned;
}

/** Stores the probes of open circuits, by number. */
export async function writeProbes(tx: SqlClient, probes: ReadonlyMap<string, Probe>): Promise<void> {
  // Locked in the same order as verdicts do.
  for (const [phoneNumberId, { callId, until }] of [...probes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await tx.$executeRaw(sql`
      UPDATE number_circuits SET probe_call_id = ${callId}::uuid, probe_at = ${until.toISOString()}::timestamptz
      WHERE phone_number_id = ${phoneNumberId}::uuid AND opened_at IS NOT NULL`);
  }
}

export function toCircuit(row: z.infer<typeof circuitRow>): Circuit {
  return {
    failures: row.failures,
    lastFailedAt: row.last_failed_at,
    openedAt: row.opened_at,
    openings: row.openings,
    probeAt: row.probe_at,
    probeCallId: row.probe_call_id,
  };
}

/** A deleted number gets none. */
async function insertMissing(tx: SqlClient, phoneNumberIds: string[]): Promise<void> {
  await tx.$executeRaw(sql`INSERT INTO number_circuits (phone_number_id)
    SELECT id FROM phone_numbers WHERE id = ANY (${phoneNumberIds}::uuid[]) ORDER BY id ON CONFLICT DO NOTHING`);
}

async function write(tx: SqlClient, phoneNumberId: string, circuit: Circuit): Promise<void> {
  const [failed, opened, probe] = [circuit.lastFailedAt, circuit.openedAt, circuit.probeAt].map(
    (at) => at?.toISOString() ?? null,
  );
  await tx.$executeRaw(sql`
    UPDATE number_circuits SET failures = ${circuit.failures}, last_failed_at = ${failed}::timestamptz,
      opened_at = ${opened}::timestamptz, openings = ${circuit.openings}, probe_at = ${probe}::timestamptz,
      probe_call_id = ${circuit.probeCallId}::uuid
    WHERE phone_number_id = ${phoneNumberId}::uuid`);
}

function idsOf(verdicts: readonly Verdict[]): string[] {
  return [...new Set(verdicts.map(({ phoneNumberId }) => phoneNumberId))].sort();
}
