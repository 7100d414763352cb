import type { BodyOf, CallStatus, CallType, listCalls } from '@parley/contracts';
import { join, raw, type Statement, sql } from '@parley/kit/db';

export type CallFilters = Omit<BodyOf<typeof listCalls>, 'page' | 'size'> & VisibleAgents;

/** The only assistants whose calls the caller may see [trust.9]; undefined: all. */
type VisibleAgents = { visibleAgentIds?: readonly string[] | undefined };

export type LegacyPage = {
  limit: number;
  offset: number;
  status: CallStatus | null;
  callType: CallType | null;
};

/** The condition on `calls c` of a list's filters. */
export function callCondition(workspaceId: string, filters: CallFilters): Statement {
  return all(
    sql`c.workspace_id = ${workspaceId}::uuid`,
    filters.call_id && sql`c.id = ${filters.call_id}::uuid`,
    anyOf('c.call_type', 'text', filters.call_types),
    anyOf('c.agent_id', 'uuid', filters.agent_ids),
    filters.visibleAgentIds && isOneOf('c.agent_id', 'uuid', filters.visibleAgentIds),
    anyOf('c.campaign_id', 'uuid', filters.campaign_ids),
    anyOf('c.from_number', 'text', filters.from_numbers),
    filters.to_number && sql`c.to_number LIKE ${containing(filters.to_number)}`,
    filters.created_after && sql`c.created_at >= ${instant(filters.created_after)}::timestamptz`,
    filters.created_before && sql`c.created_at <= ${instant(filters.created_before)}::timestamptz`,
    atLeast('c.duration', filters.duration_min),
    atMost('c.duration', filters.duration_max),
    atLeast('c.cost', filters.cost_min),
    atMost('c.cost', filters.cost_max),
    anyOf('c.disconnection_reason', 'text', filters.disconnection_reasons),
  );
}

/** The condition of the legacy list. The few live calls have an index with exactly this condition. */
export function legacyCondition(
  workspaceId: string,
  { status, callType, visibleAgentIds }: Pick<LegacyPage, 'status' | 'callType'> & VisibleAgents,
): Statement {
  return all(
    sql`c.workspace_id = ${workspaceId}::uuid`,
    status && sql`c.status = ${status}`,
    status && status !== 'completed' && sql`c.status <> 'completed'`,
    visibleAgentIds && sql`c.agent_id = ANY (${visibleAgentIds}::uuid[])`,
    callType && sql`c.call_type = ${callType}`,
  );
}

function all(...conditions: (Statement | string | false | null | undefined)[]): Statement {
  const given = conditions.filter((condition) => typeof condition === 'object' && condition !== null);
  return join(given, ' AND ');
}

/** Undefined and an empty array don't filter. */
function anyOf(column: string, type: string, values: readonly string[] = []): Statement | undefined {
  return values.length === 0 ? undefined : isOneOf(column, type, values);
}

/** A single value is compared with `=`: only then an index returns its calls in order. */
function isOneOf(column: string, type: string, values: readonly string[]): Statement {
  const unique = [...new Set(values)];
  const [name, cast] = [raw(column), raw(type)];
  return unique.length === 1
    ? sql`${name} = ${unique[0]}::${cast}`
    : sql`${name} = ANY (${unique}::${cast}[])`;
}

function atLeast(column: string, min: number | undefined): Statement | undefined {
  return min === undefined ? undefined : sql`${raw(column)} >= ${whole(Math.ceil(min))}::int8`;
}

function atMost(column: string, max: number | undefined): Statement | undefined {
  return max === undefined ? undefined : sql`${raw(column)} <= ${whole(Math.floor(max))}::int8`;
}

/** As text of an int8: an index of integers can't be used for fractions. */
function whole(bound: number): string {
  return String(Math.min(bound, Number.MAX_SAFE_INTEGER));
}

/** A pattern for text that contains the given text literally. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A time in the notation of Postgres. An offset can move the first and last years out of the range of four digits. */
function instant(text: string): string {
  const ms = Date.parse(text);
  if (ms < FIRST_MS) return '-infinity';
  return ms > LAST_MS ? 'infinity' : new Date(ms).toISOString();
}
