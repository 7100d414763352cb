import type { CallFilters } from '../domain/call-history/ports.ts';

export type Condition = { where: string; values: unknown[] };

/** The filters of a list as SQL on `calls c`; `$1` is the workspace. An empty array is no filter. */
export function callCondition(workspaceId: string, filters: CallFilters): Condition {
  const values: unknown[] = [workspaceId];
  const parts = ['c.workspace_id = $1::uuid'];

  const add = (value: unknown, sql: (parameter: string) => string): void => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
    values.push(value);
    parts.push(sql(`$${values.length}`));
  };

  add(filters.call_id, (p) => `c.id = ${p}::uuid`);
  add(filters.call_types, (p) => `c.call_type = ANY (${p}::text[])`);
  add(filters.agent_ids, (p) => `c.agent_id = ANY (${p}::uuid[])`);
  add(filters.campaign_ids, (p) => `c.campaign_id = ANY (${p}::uuid[])`);
  add(filters.from_numbers, (p) => `c.from_number = ANY (${p}::text[])`);
  // Not LIKE: what is searched for is plain text.
  add(filters.to_number, (p) => `strpos(c.to_number, ${p}) > 0`);
  add(instant(filters.created_after), (p) => `c.created_at >= ${p}::timestamptz`);
  add(instant(filters.created_before), (p) => `c.created_at <= ${p}::timestamptz`);
  add(filters.duration_min, (p) => `c.duration >= ${p}::float8`);
  add(filters.duration_max, (p) => `c.duration <= ${p}::float8`);
  add(filters.cost_min, (p) => `c.cost >= ${p}::float8`);
  add(filters.cost_max, (p) => `c.cost <= ${p}::float8`);
  add(filters.disconnection_reasons, (p) => `c.disconnection_reason = ANY (${p}::text[])`);
  return { where: parts.join(' AND '), values };
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant as Postgres reads it. An offset can move the first and last years out of what four digits tell. */
function instant(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (ms < FIRST_MS) return '-infinity';
  return ms > LAST_MS ? 'infinity' : new Date(ms).toISOString();
}
