import { expect, it } from '@jest/globals';
import type { Bucket } from './bucket.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { slowRefusals } from './slow-refusals.ts';

const bucket = (workspace: string): Bucket => ({
  key: `${workspace}:requests`,
  intervalMs: 60_000,
  burst: 1,
});

it('twenty refusals of a workspace are sent at once and twenty a second; others are delayed by up to a second, if the caller allows it [trust.26]', async () => {
  let now = 0;
  const slept: number[] = [];
  let told = 0;
  const sleep = async (ms: number) => slept.push(ms);
  const limiter = slowRefusals(
    createLocalLimiter(() => now),
    { nowMs: () => now, sleep, random: () => 0.5 },
  );
  const take = async (times: number, workspace = 'greedy') => {
    const verdicts = [];
    for (let n = 0; n < times; n += 1)
      verdicts.push(await limiter.take([bucket(workspace)], () => (told += 1)));
    return verdicts;
  };
  expect((await take(1))[0]?.allowed).toBe(true);
  const refused = await take(25);
  expect(refused.some(({ allowed }) => allowed)).toBe(false);
  expect(slept).toEqual(Array(5).fill(750));
  // The delay has passed when the client reads how long to wait.
  expect([refused[0], refused[24]].map((verdict) => verdict?.retryAfterMs)).toEqual([60_000, 59_250]);
  expect((await take(20, 'another')).map(({ allowed }) => allowed)).toEqual([true, ...Array(19).fill(false)]);
  expect(slept).toHaveLength(5);
  now = 500;
  await take(12);
  expect(slept).toHaveLength(7);
  expect(told).toBe(7);
  for (let n = 0; n < 25; n += 1) await limiter.take([bucket('rare')]);
  expect(slept).toHaveLength(7);
});
