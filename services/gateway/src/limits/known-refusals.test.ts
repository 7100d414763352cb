import { describe, expect, it } from '@jest/globals';
import type { Bucket, Limiter } from './bucket.ts';
import { knownRefusals } from './known-refusals.ts';
import { createLocalLimiter } from './local-limiter.ts';

const bucket = (cost = 1): Bucket => ({ key: 'greedy:requests', intervalMs: 100, burst: 20, cost });

describe('known refusals', () => {
  let now = 0;
  let asked = 0;
  const exact = createLocalLimiter(() => now);
  const counted: Limiter = {
    charge: exact.charge,
    take: (buckets) => {
      asked += 1;
      return exact.take(buckets);
    },
  };
  const limiter = knownRefusals(counted, () => now);
  const take = async (one: Bucket) => limiter.take([one]);

  it('are reused until the tokens are available, and read like those of the limiter', async () => {
    expect((await take(bucket(20))).allowed).toBe(true);
    await take(bucket());
    asked = 0;
    for (const [at, cost] of [
      [10, 1],
      [60, 3],
      [99, 1],
    ] as const) {
      now = at;
      expect(await take(bucket(cost))).toEqual(
        expect.objectContaining(pick(await exact.take([bucket(cost)]))),
      );
    }
    expect(asked).toBe(0);
    now = 101;
    expect((await take(bucket())).allowed).toBe(true);
  });

  it('do not apply to cheaper requests, other limits, or requests with several buckets', async () => {
    await take(bucket(5));
    now = 350;
    expect((await take(bucket(2))).allowed).toBe(true);
    await take(bucket(9));
    asked = 0;
    await take({ ...bucket(9), burst: 40 });
    await limiter.take([bucket(9), { ...bucket(1), key: 'greedy:calls' }]);
    expect(asked).toBe(2);
  });
});

const pick = ({
  allowed,
  limit,
  remaining,
  resetMs,
  retryAfterMs,
}: Awaited<ReturnType<Limiter['take']>>) => ({
  allowed,
  limit,
  remaining,
  resetMs,
  retryAfterMs,
});
