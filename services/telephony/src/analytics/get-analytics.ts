import {
  type CallFigures,
  DISCONNECTION_REASONS,
  type getCallAnalytics,
  type listCallAnalytics,
  type QueryOf,
  type ResponseOf,
} from '@parley/contracts';
import { notFound, validationFailed } from '@parley/kit/errors';
import { type Auth, agentIdsOf } from '@parley/kit/http';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { WorkspaceSettings } from '../clients/ports.ts';
import type { Analytics, FigureSums, GroupSums } from './analytics.store.ts';
import { percentileOf } from './latency-buckets.ts';
import {
  dateAfter,
  dateAt,
  daysBetween,
  hoursBetween,
  QUARTER_MS,
  startOfDate,
  type TimeBucket,
} from './time-buckets.ts';

export type AnalyticsDeps = { analytics: Analytics; settings: WorkspaceSettings; clock: Clock };

type Query = QueryOf<typeof getCallAnalytics>;
type Range = { fromMs: number; toMs: number };

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const MAX_DAYS_OF_HOURS = 31;
const MAX_ROWS = 1_000;
const DAY_MS = 86_400_000;

/** `GET /v1/analytics/calls` [analytics.14]. */
export async function listAnalytics(
  deps: AnalyticsDeps,
  auth: Auth,
  { group_by, tz, ...query }: QueryOf<typeof listCallAnalytics>,
): Promise<ResponseOf<typeof listCallAnalytics>> {
  const { buckets } = await getAnalytics(deps, auth, {
    ...query,
    group_by: group_by === 'agent' ? 'assistant' : group_by,
    time_zone: tz,
    limit: MAX_ROWS,
  });
  return buckets.map(({ key, calls, answered, minutes, cost, average_duration_seconds, latency }) => ({
    key,
    calls,
    answered,
    minutes,
    cost,
    average_duration: average_duration_seconds,
    p95_first_audio_ms: latency?.p95_ms ?? null,
  }));
}

/** `GET /v1/analytics/summary`. */
export async function getAnalytics(
  { analytics, settings, clock }: AnalyticsDeps,
  auth: Auth,
  { group_by: groupBy, time_zone, limit, from, to, ...resources }: Query,
): Promise<ResponseOf<typeof getCallAnalytics>> {
  const workspace = await settings.get(auth.workspaceId);
  if (!workspace) throw notFound('Workspace');
  const zone = time_zone ?? workspace.timeZone;
  const range = readRange(zone, { from, to, group_by: groupBy }, clock.now().getTime());
  const isOfTime = groupBy === 'day' || groupBy === 'hour';
  const buckets = bucketsOf(zone, groupBy, range);
  const filters = { ...resources, visibleAgentIds: agentIdsOf(auth) };
  const found = await analytics.sum(auth.workspaceId, {
    groupBy,
    buckets,
    filters,
    limit: isOfTime ? buckets.length : limit,
  });
  // Calls that retention had removed before outcomes were counted are in no row of an outcome, and after an upgrade others not yet.
  const { totals } =
    groupBy === 'outcome'
      ? await analytics.sum(auth.workspaceId, { groupBy: 'none', buckets, filters, limit: 1 })
      : found;
  const byKey = new Map(found.groups.map((group) => [group.key, group]));
  const ofTime = () =>
    buckets.map(({ key, fromMs, toMs }, i) => ({
      key,
      label: null,
      from: toIsoMillis(new Date(fromMs)),
      to: toIsoMillis(new Date(toMs)),
      ...toFigures(byKey.get(String(i)) ?? NO_CALLS),
    }));
  const ofResources = () => (groupBy === 'none' ? [] : found.groups.map(toResourceBucket));
  return {
    from: toIsoMillis(new Date(range.fromMs)),
    to: toIsoMillis(new Date(range.toMs)),
    time_zone: zone,
    currency: workspace.currency,
    group_by: groupBy,
    totals: toFigures(totals),
    buckets: isOfTime ? ofTime() : ofResources(),
    omitted_buckets: isOfTime ? 0 : Math.max(found.groupCount - found.groups.length, 0),
  };
}

/** Days are those of the zone, `to` included; instants are rounded outwards to quarter hours [analytics.2]. */
function readRange(
  zone: string,
  { from, to, group_by }: Pick<Query, 'from' | 'to' | 'group_by'>,
  nowMs: number,
): Range {
  const toMs = isInstant(to)
    ? Math.ceil(Date.parse(to) / QUARTER_MS) * QUARTER_MS
    : startOfDate(zone, dateAfter(to ?? dateAt(zone, nowMs), 1));
  const lastDay = dateAt(zone, toMs - QUARTER_MS);
  const defaultFrom = group_by === 'hour' ? lastDay : dateAfter(lastDay, 1 - DEFAULT_DAYS);
  const fromMs = isInstant(from)
    ? Math.floor(Date.parse(from) / QUARTER_MS) * QUARTER_MS
    : startOfDate(zone, from ?? defaultFrom);
  const maxDays = group_by === 'hour' ? MAX_DAYS_OF_HOURS : MAX_DAYS;
  if (fromMs >= toMs) throw invalidFrom('too_big', 'from must be before to');
  // A clock change may add an hour to as many days.
  if (toMs - fromMs > maxDays * DAY_MS + DAY_MS / 8)
    throw invalidFrom('too_small', `from must be at most ${maxDays} days before to`);
  return { fromMs, toMs };
}

const isInstant = (text: string | undefined): text is string => text?.includes('T') === true;

function invalidFrom(code: 'too_big' | 'too_small', message: string) {
  return validationFailed([{ path: 'from', code, message }]);
}

function bucketsOf(zone: string, groupBy: Query['group_by'], { fromMs, toMs }: Range): TimeBucket[] {
  if (groupBy === 'day') return daysBetween(zone, fromMs, toMs);
  if (groupBy === 'hour') return hoursBetween(zone, fromMs, toMs);
  return [{ key: '', fromMs, toMs }];
}

const toResourceBucket = ({ key, label, ...sums }: GroupSums) => ({
  key,
  label,
  from: null,
  to: null,
  ...toFigures(sums),
});

const NO_CALLS: FigureSums = {
  ...{ calls: 0, inbound: 0, outbound: 0, web: 0, answered: 0, successful: 0, duration: 0, cost: 0 },
  ...{ outcomes: [], turns: 0, latency_ms: 0, latencies: [] },
};

function toFigures(sums: FigureSums): CallFigures {
  const { calls, answered, successful, duration } = sums;
  return {
    calls,
    by_type: { inbound: sums.inbound, outbound: sums.outbound, web: sums.web },
    answered,
    answer_rate: rate(answered, calls),
    successful,
    success_rate: rate(successful, calls),
    duration_seconds: duration,
    minutes: rounded(duration / 60, 2),
    average_duration_seconds: answered === 0 ? null : rounded(duration / answered, 2),
    cost: sums.cost,
    outcomes: Object.fromEntries(
      DISCONNECTION_REASONS.map((reason, i) => [reason, sums.outcomes[i] ?? 0]),
    ) as CallFigures['outcomes'],
    latency: latencyOf(sums),
  };
}

function latencyOf({ turns, latency_ms, latencies }: FigureSums): CallFigures['latency'] {
  const [p50, p95] = [percentileOf(latencies, 0.5), percentileOf(latencies, 0.95)];
  if (p50 === undefined || p95 === undefined) return null;
  return {
    turns,
    average_ms: rounded(latency_ms / turns, 1),
    p50_ms: Math.round(p50),
    p95_ms: Math.round(p95),
  };
}

const rate = (count: number, calls: number): number | null =>
  calls === 0 ? null : rounded(count / calls, 4);
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
