import { describe, expect, it } from '@jest/globals';
import { createKeyedLimiter } from './keyed-limiter.ts';

describe('createKeyedLimiter', () => {
  it('runs a limited number per key, queues the rest in order, and rejects beyond its queue', async () => {
    const limiter = createKeyedLimiter({ concurrency: 2, maxQueued: 2 });
    const [first, second] = [await limiter.acquire('a'), await limiter.acquire('a')];
    const began: string[] = [];
    const note = (name: string) => (release: () => void) => {
      began.push(name);
      return release;
    };
    const third = limiter.acquire('a').then(note('third'));
    const fourth = limiter.acquire('a').then(note('fourth'));
    await expect(limiter.acquire('a')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    const other = await limiter.acquire('b');
    expect(began).toEqual([]);
    first();
    first();
    (await third)();
    expect(began).toEqual(['third']);
    (await fourth)();
    second();
    other();
    await expect(limiter.acquire('a')).resolves.toBeInstanceOf(Function);
  });

  it('drops waiting work that was aborted', async () => {
    const limiter = createKeyedLimiter({ concurrency: 1, maxQueued: 1 });
    const first = await limiter.acquire('a');
    const controller = new AbortController();
    const waiting = limiter.acquire('a', controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    const next = limiter.acquire('a');
    first();
    (await next)();
  });

  it('frees the slot after the work, even if it fails, and rejects with its error', async () => {
    const limiter = createKeyedLimiter({ concurrency: 1, rejection: () => new Error('full') });
    await expect(limiter.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const release = limiter.acquireNow('a');
    expect(() => limiter.acquireNow('a')).toThrow('full');
    await expect(limiter.run('a', async () => 1)).rejects.toThrow('full');
    release();
    expect(await limiter.run('a', async () => 1)).toBe(1);
  });
});
