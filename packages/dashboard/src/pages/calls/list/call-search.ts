import type { BodyInputOf, listCalls } from '@parley/contracts';
import { day, oneOf, someOf, text, texts, wholeNumber } from '../../../app/search.ts';
import { REASONS } from '../how-it-ended.ts';
import { addDays, dayOf, endOfDay, startOfDay } from './zone-days.ts';

export const CALL_TYPES = ['inbound', 'outbound', 'web'] as const;
export const PERIODS = ['today', 'yesterday', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

/** The filters of the list as they are in the URL. Days are of the workspace's zone, costs are cents. */
export type CallSearch = {
  q?: string | undefined;
  type?: (typeof CALL_TYPES)[number][] | undefined;
  agent?: string[] | undefined;
  campaign?: string[] | undefined;
  from?: string[] | undefined;
  reason?: string[] | undefined;
  period?: Period | undefined;
  after?: string | undefined;
  before?: string | undefined;
  min_seconds?: number | undefined;
  max_seconds?: number | undefined;
  min_cents?: number | undefined;
  max_cents?: number | undefined;
};

/** What is not valid is left out: a URL may be written by hand. */
export function readCallSearch(search: Record<string, unknown>): CallSearch {
  const [after, before] = [day(search.after), day(search.before)];
  return {
    q: text(search.q)?.slice(0, 64),
    type: someOf(CALL_TYPES, search.type),
    agent: texts(search.agent)?.filter(isUuid),
    campaign: texts(search.campaign)?.filter(isUuid),
    from: texts(search.from),
    reason: someOf(REASONS, search.reason),
    period: oneOf(PERIODS, search.period),
    ...(after !== undefined && before !== undefined && after > before
      ? { after: before, before: after }
      : { after, before }),
    ...ordered('seconds', wholeNumber(search.min_seconds), wholeNumber(search.max_seconds)),
    ...ordered('cents', wholeNumber(search.min_cents), wholeNumber(search.max_cents)),
  };
}

function ordered(unit: string, min: number | undefined, max: number | undefined) {
  const isSwapped = min !== undefined && max !== undefined && min > max;
  return { [`min_${unit}`]: isSwapped ? max : min, [`max_${unit}`]: isSwapped ? min : max };
}

export type CallFilters = Omit<BodyInputOf<typeof listCalls>, 'page' | 'size'>;

/** The filters of the list route. `now` decides what `today` is. */
export function toFilters(search: CallSearch, zone: string, now: Date): CallFilters {
  const { q, type, agent, campaign, from, reason } = search;
  const [after, before] = range(search, zone, now);
  return defined({
    ...searched(q),
    call_types: type,
    agent_ids: agent,
    campaign_ids: campaign,
    from_numbers: from,
    disconnection_reasons: reason,
    created_after: after && startOfDay(after, zone).toISOString(),
    created_before: before && endOfDay(before, zone).toISOString(),
    duration_min: search.min_seconds,
    duration_max: search.max_seconds,
    cost_min: search.min_cents,
    cost_max: search.max_cents,
  });
}

/** Whether a call that is not listed by the platform has what is searched. */
export function hasText(call: { id: string; to_number: string | null }, q: string | undefined): boolean {
  const { call_id: id, to_number: part } = searched(q);
  if (id !== undefined) return call.id === id;
  return part === undefined || (call.to_number ?? '').includes(part);
}

/** An id finds its call; anything else is a part of the called number. */
function searched(q: string | undefined): { call_id?: string; to_number?: string } {
  if (q === undefined) return {};
  if (isUuid(q.trim())) return { call_id: q.trim().toLowerCase() };
  // As people write numbers: the list compares with digits and a plus.
  const digits = q.replace(/[^\d+]/g, '').slice(0, 20);
  return { to_number: digits === '' ? q.trim().slice(0, 20) : digits };
}

function range(
  { period, after, before }: CallSearch,
  zone: string,
  now: Date,
): readonly [after?: string | undefined, before?: string | undefined] {
  const today = dayOf(now, zone);
  switch (period) {
    case 'today':
      return [today];
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)];
    case '7d':
      return [addDays(today, -6)];
    case '30d':
      return [addDays(today, -29)];
    case undefined:
      return [after, before];
  }
}

/** The filters as the query of the export, which takes several values separated by commas. */
export function exportPath(filters: CallFilters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  return `/v2/call/export.csv${query.size > 0 ? `?${query}` : ''}`;
}

/** Whether the list shows less than all calls. */
export function isFiltered(search: CallSearch): boolean {
  return Object.values(search).some((value) => value !== undefined);
}

const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);

function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
