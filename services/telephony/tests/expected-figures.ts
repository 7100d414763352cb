import { expect } from '@jest/globals';
import { type CallFigures, DISCONNECTION_REASONS } from '@parley/contracts';
import type { Json } from './harness.ts';
import type { RawCall } from './raw-calls.ts';

/** The date of an instant in a zone, computed in a different way from the tested code. */
const formats = new Map<string, Intl.DateTimeFormat>();
function localDate(ms: number, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(zone, format);
  return format.format(ms);
}

const QUARTER = 900_000;

export function isWithin({ createdMs }: RawCall, from: string, to: string, zone: string): boolean {
  const isAfter = from.includes('T')
    ? createdMs >= Math.floor(Date.parse(from) / QUARTER) * QUARTER
    : localDate(createdMs, zone) >= from;
  const isBefore = to.includes('T')
    ? createdMs < Math.ceil(Date.parse(to) / QUARTER) * QUARTER
    : localDate(createdMs, zone) <= to;
  return isAfter && isBefore;
}

/** The earlier of `to` and `days` after `from`. */
export function earlier(to: string, from: string, days: number): string {
  const latest = new Date(Date.parse(from) + days * 86_400_000).toISOString();
  return latest < to ? (to.includes('T') ? latest : latest.slice(0, 10)) : to;
}

export function keyOf(call: RawCall, groupBy: string, zone: string, buckets: Json[]): string | null {
  if (groupBy === 'day') return localDate(call.createdMs, zone);
  if (groupBy === 'assistant') return call.agent;
  if (groupBy === 'number') return call.number;
  if (groupBy === 'campaign') return call.campaign;
  if (groupBy === 'outcome') return call.reason;
  const at = new Date(call.createdMs).toISOString();
  return buckets.find(({ from, to }) => from <= at && at < to)?.key;
}

const REACHED = ['completed', 'user_hangup', 'agent_hangup', 'timeout', 'call_transfer'];

/** Checks that the figures equal a count of these calls. */
export function expectFigures(figures: CallFigures, calls: readonly RawCall[]): void {
  const count = (is: (call: RawCall) => boolean) => calls.filter(is).length;
  const sum = (of: (call: RawCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  const answered = count((call) => call.isAnswered);
  const seconds = sum((call) => call.duration);
  const outcomes = Object.fromEntries(
    DISCONNECTION_REASONS.map((reason) => [reason, count((call) => call.reason === reason)]),
  );
  expect(figures).toMatchObject({
    calls: calls.length,
    answered,
    answer_rate: calls.length === 0 ? null : Number((answered / calls.length).toFixed(4)),
    by_type: {
      inbound: count(({ type }) => type === 'inbound'),
      outbound: count(({ type }) => type === 'outbound'),
      web: count(({ type }) => type === 'web'),
    },
    successful: count(
      ({ isAnswered, reason, messageLeft }) =>
        (isAnswered && REACHED.includes(reason)) || (reason === 'voicemail' && messageLeft),
    ),
    duration_seconds: seconds,
    minutes: Number((seconds / 60).toFixed(2)),
    cost: sum((call) => call.cost),
    outcomes,
  });
  const latencies = calls.flatMap((call) => (call.isAnswered ? call.latencies : [])).sort((a, b) => a - b);
  if (latencies.length === 0) {
    expect(figures.latency).toBeNull();
    return;
  }
  const exact = (p: number) => latencies[Math.ceil(latencies.length * p) - 1] ?? 0;
  expect(figures.latency?.turns).toBe(latencies.length);
  expect(figures.latency?.average_ms).toBeCloseTo(latencies.reduce((a, b) => a + b, 0) / latencies.length, 0);
  expect(Math.abs((figures.latency?.p50_ms ?? 0) / exact(0.5) - 1)).toBeLessThan(0.1);
  expect(Math.abs((figures.latency?.p95_ms ?? 0) / exact(0.95) - 1)).toBeLessThan(0.1);
}
