import { expect, it } from '@jest/globals';
import { judge, type Observed } from './verdict.ts';

const seen = (ms: number, failures: string[] = []) => ({ latencies: [ms / 10, ms], failures });
const good: Observed = {
  quiet: { calls: seen(200), deliveries: seen(10) },
  hostile: { calls: seen(600), deliveries: seen(30) },
  undelivered: [],
  ended: [],
  peakMib: { gateway: 512 },
};
const breaches = (change: Partial<Observed>) =>
  judge({ ...good, ...change })
    .filter(({ ok }) => !ok)
    .map(({ what }) => what);

it('passes if everything is within its thresholds', () => {
  expect(breaches({})).toEqual([]);
});

it('reports each breach', () => {
  const { quiet } = good;
  expect(breaches({ ended: ['telephony'] })).toEqual(['processes that ended']);
  expect(breaches({ undelivered: ['id'] })).toEqual(['events that were not delivered']);
  expect(breaches({ peakMib: { gateway: 513 } })).toEqual(['memory of gateway']);
  expect(breaches({ peakMib: { gateway: 0 } })).toEqual(['memory of gateway']);
  expect(breaches({ hostile: { calls: seen(601), deliveries: seen(31) } })).toEqual([
    'calls of the fourth workspace: p99 (2)',
    'deliveries to the fifth workspace: p99 (2)',
  ]);
  expect(breaches({ hostile: { calls: seen(1, ['503']), deliveries: quiet.deliveries } })).toEqual([
    'calls of the fourth workspace that failed',
  ]);
});

it('treats a missing measurement as a breach', () => {
  const nothing = { latencies: [], failures: [] };
  expect(breaches({ hostile: { calls: nothing, deliveries: nothing } })).toHaveLength(2);
});
