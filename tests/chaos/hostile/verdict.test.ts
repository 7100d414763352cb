import { expect, it } from '@jest/globals';
import { judge, type Observed } from './verdict.ts';

const seen = (ms: number, failures: string[] = []) => ({ latencies: [ms / 10, ms], failures });
const good: Observed = {
  quiet: { calls: seen(200), deliveries: seen(10) },
  hostile: { calls: seen(600), deliveries: seen(30) },
  undelivered: [],
  ended: [],
  peakMib: { gateway: 512 },
  late: {
    ...{
      'route 200': 50,
      'route 204': 50,
      'session 200': 20,
      'tool 201': 20,
      'call 201': 40,
      'call 202': 10,
    },
    ...{
      'widget 201': 19,
      'widget joined 200': 1,
      'waits 200 to 409': 10,
      'texts 201': 50,
      'stream 200': 10,
    },
    'renewed 200': 10,
  },
  minutes: 10,
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
    'calls of the caller: p99 (2)',
    'deliveries to the listener: p99 (2)',
  ]);
  expect(breaches({ hostile: { calls: seen(1, ['503']), deliveries: quiet.deliveries } })).toEqual([
    'calls of the caller that failed',
  ]);
});

it('reports attackers that reached nothing at the end', () => {
  const { late } = good;
  expect(breaches({ late: { ...late, 'tool 201': 19, 'tool 422': 500 } })).toEqual([
    'accepted at the end: tool',
  ]);
  expect(breaches({ late: { ...late, 'route 200': 0, 'route 500 GET /v1/voice': 200 } })).toEqual([
    'accepted at the end: route',
  ]);
  expect(breaches({ late: {} })).toHaveLength(9);
  expect(breaches({ late: {}, minutes: 0.1 })).toHaveLength(9);
});

it('treats a missing measurement as a breach', () => {
  const nothing = { latencies: [], failures: [] };
  expect(breaches({ hostile: { calls: nothing, deliveries: nothing } })).toHaveLength(2);
});
