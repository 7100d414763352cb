import type { LegacyPage } from '../domain/call-history/legacy-query.ts';
import type { CallFilters } from '../domain/call-history/ports.ts';

export type Condition = { where: string; values: unknown[] };

type Add = (value: unknown, sql: (parameter: string) => string) => void;

/** Puts conditions on `calls c` together; `$1` is the workspace. What is undefined or an empty array is no filter. */
function conditionOf(workspaceId: string, describe: (add: Add) => void): Condition {
  const values: unknown[] = [workspaceId];
  const parts = ['c.workspace_id = $1::uuid'];
  describe((value, sql) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
    values.push(value);
    parts.push(sql(`$${values.length}`));
  });
  return { where: parts.join(' AND '), values };
}

/** The filters of a list of version 2. */
export function callCondition(workspaceId: string, filters: CallFilters): Condition {
  return conditionOf(workspaceId, (add) => {
    /** One value is compared as one: an index then gives its calls in order, which it doesn't for any of several. */
    const addAny = (wanted: readonly string[] = [], column: string, type: string): void => {
      const values = [...new Set(wanted)];
      if (values.length === 1) add(values[0], (p) => `${column} = ${p}::${type}`);
      else add(values, (p) => `${column} = ANY (${p}::${type}[])`);
    };
    add(filters.call_id, (p) => `c.id = ${p}::uuid`);
    addAny(filters.call_types, 'c.call_type', 'text');
    addAny(filters.agent_ids, 'c.agent_id', 'uuid');
    addAny(filters.campaign_ids, 'c.campaign_id', 'uuid');
    addAny(filters.from_numbers, 'c.from_number', 'text');
    add(filters.to_number && containing(filters.to_number), (p) => `c.to_number LIKE ${p}`);
    add(instant(filters.created_after), (p) => `c.created_at >= ${p}::timestamptz`);
    add(instant(filters.created_before), (p) => `c.created_at <= ${p}::timestamptz`);
    add(whole(filters.duration_min, Math.ceil), (p) => `c.duration >= ${p}::int8`);
    add(whole(filters.duration_max, Math.floor), (p) => `c.duration <= ${p}::int8`);
    add(whole(filters.cost_min, Math.ceil), (p) => `c.cost >= ${p}::int8`);
    add(whole(filters.cost_max, Math.floor), (p) => `c.cost <= ${p}::int8`);
    addAny(filters.disconnection_reasons, 'c.disconnection_reason', 'text');
  });
}

/** The filters of the legacy list. Calls that are live are few and have an index of their own, by this very condition. */
export function legacyCondition(
  workspaceId: string,
  { status, callType }: Pick<LegacyPage, 'status' | 'callType'>,
): Condition {
  return conditionOf(workspaceId, (add) => {
    const isLive = status !== null && status !== 'completed';
    add(status ?? undefined, (p) => `c.status = ${p}${isLive ? " AND c.status <> 'completed'" : ''}`);
    add(callType ?? undefined, (p) => `c.call_type = ${p}`);
  });
}

/** What is searched for is plain text: its own wildcards are none. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** A bound of whole numbers as one of them: an index of integers knows no fractions. */
function whole(bound: number | undefined, round: (value: number) => number): string | undefined {
  if (bound === undefined) return undefined;
  const most = Number.MAX_SAFE_INTEGER;
  return String(Math.min(Math.max(round(bound), -most), most));
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
