import { describe, expect, it } from '@jest/globals';
import { type Bucket, takeToken } from './bucket.ts';
import { createLocalLimiter } from './local-limiter.ts';

const bucket: Bucket = { key: 'w:requests', intervalMs: 100, burst: 3 };

describe('a bucket', () => {
  it('allows its burst, rejects more, and refills by one per interval', () => {
    let full = 0;
    const take = (nowMs: number) => {
      const verdict = takeToken(bucket, full, nowMs);
      full = verdict.fullAtMs;
      return verdict;
    };
    expect([take(1000), take(1000), take(1000)].map(({ remaining }) => remaining)).toEqual([2, 1, 0]);
    expect(take(1000)).toMatchObject({ allowed: false, retryAfterMs: 100, resetMs: 300 });
    expect(take(1099)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    expect(take(1100)).toMatchObject({ allowed: true, remaining: 0 });
    expect(take(9999)).toMatchObject({ allowed: true, remaining: 2 });
  });

  it('a request that one bucket rejects takes nothing from the others', async () => {
    const limiter = createLocalLimiter(() => 5000);
    const small: Bucket = { key: 'w:calls', intervalMs: 1000, burst: 1 };
    expect((await limiter.take([bucket, small])).allowed).toBe(true);
    expect((await limiter.take([bucket, small])).allowed).toBe(false);
    expect((await limiter.take([bucket])).remaining).toBe(1);
  });
});
