import type { Sql } from '@parley/kit/db';
import { applyVerdict, type Circuit, type CircuitRules, type DialVerdict } from './circuit.ts';
import type { DialStore } from './ports.ts';

export type CircuitRow = {
  failures: number;
  last_failed_at: Date | null;
  opened_at: Date | null;
  openings: number;
  probe_at: Date | null;
  probe_call_id: string | null;
};

export const CIRCUIT_COLUMNS =
  'c.failures, c.last_failed_at, c.opened_at, c.openings, c.probe_at, c.probe_call_id::text';

/** A number that is gone has none. */
const BEGIN = `
  INSERT INTO number_circuits (phone_number_id) SELECT id FROM phone_numbers WHERE id = ANY ($1::uuid[]) ORDER BY id
  ON CONFLICT DO NOTHING`;
/** What was always well isn't written: most calls end without one. */
const HOLD = `
  SELECT c.phone_number_id::text AS id, ${CIRCUIT_COLUMNS} FROM number_circuits c
  WHERE c.phone_number_id = ANY ($1::uuid[]) AND (c.failures > 0 OR c.phone_number_id = ANY ($2::uuid[]))
  ORDER BY c.phone_number_id FOR UPDATE`;
const WRITE = `
  UPDATE number_circuits SET failures = $2, last_failed_at = $3::timestamptz, opened_at = $4::timestamptz, openings = $5,
    probe_at = $6::timestamptz, probe_call_id = $7::uuid
  WHERE phone_number_id = $1::uuid`;
const PROBE = `
  UPDATE number_circuits SET probe_call_id = $2::uuid, probe_at = $3::timestamptz
  WHERE phone_number_id = $1::uuid AND opened_at IS NOT NULL`;

export type Verdict = { phoneNumberId: string; callId: string; verdict: DialVerdict; at: Date };

/** Takes in what dials told of the carrier, in the transaction that writes their calls; gives the circuits that opened or closed. */
export async function applyVerdicts(
  tx: Sql,
  verdicts: readonly Verdict[],
  rules: CircuitRules,
): Promise<{ phoneNumberId: string; isOpen: boolean }[]> {
  if (verdicts.length === 0) return [];
  const failing = idsOf(verdicts.filter(({ verdict }) => verdict === 'failed'));
  if (failing.length > 0) await tx.$executeRawUnsafe(BEGIN, failing);
  const rows = await tx.$queryRawUnsafe<(CircuitRow & { id: string })[]>(HOLD, idsOf(verdicts), failing);
  const turned = [];
  for (const row of rows) {
    const before = toCircuit(row);
    const after = verdicts
      .filter(({ phoneNumberId }) => phoneNumberId === row.id)
      .reduce((circuit, verdict) => applyVerdict(circuit, verdict, rules), before);
    if (after !== before) await tx.$executeRawUnsafe(WRITE, row.id, ...valuesOf(after));
    const isOpen = after.openedAt !== null;
    if (isOpen !== (before.openedAt !== null)) turned.push({ phoneNumberId: row.id, isOpen });
  }
  return turned;
}

export const writeProbes: DialStore['writeProbes'] = async (tx, probes) => {
  // In the order in which verdicts hold them.
  for (const [phoneNumberId, { callId, until }] of [...probes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await tx.$executeRawUnsafe(PROBE, phoneNumberId, callId, until.toISOString());
  }
};

export function toCircuit(row: CircuitRow): Circuit {
  return {
    failures: row.failures,
    lastFailedAt: row.last_failed_at,
    openedAt: row.opened_at,
    openings: row.openings,
    probeAt: row.probe_at,
    probeCallId: row.probe_call_id,
  };
}

function idsOf(verdicts: readonly Verdict[]): string[] {
  return [...new Set(verdicts.map(({ phoneNumberId }) => phoneNumberId))].sort();
}

function valuesOf({ failures, lastFailedAt, openedAt, openings, probeAt, probeCallId }: Circuit): unknown[] {
  const [failed, opened, probe] = [lastFailedAt, openedAt, probeAt].map((at) => at?.toISOString() ?? null);
  return [failures, failed, opened, openings, probe, probeCallId];
}
