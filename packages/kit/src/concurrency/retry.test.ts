import { describe, expect, it } from '@jest/globals';
import { backoffMs } from './backoff.ts';
import { retry } from './retry.ts';

const failing = (times: number) => {
  const state = { calls: 0 };
  const attempt = async (): Promise<number> => {
    state.calls += 1;
    if (state.calls <= times) throw new TypeError(`failure ${state.calls}`);
    return state.calls;
  };
  return { state, attempt };
};

const delayMs = () => 1;

describe('retry', () => {
  it('runs until an attempt succeeds and reports each failure', async () => {
    const { attempt } = failing(2);
    const failures: number[] = [];
    expect(await retry(attempt, { delayMs, onFailure: (_, count) => void failures.push(count) })).toBe(3);
    expect(failures).toEqual([1, 2]);
  });

  it('rejects with the last error when the attempts are used up', async () => {
    const { state, attempt } = failing(5);
    await expect(retry(attempt, { attempts: 3, delayMs })).rejects.toThrow('failure 3');
    expect(state.calls).toBe(3);
  });

  it('rejects at once with an error that is not retryable', async () => {
    const { attempt } = failing(5);
    const isRetryable = (_: unknown, failures: number) => failures < 2;
    await expect(retry(attempt, { isRetryable, delayMs })).rejects.toThrow('failure 2');
  });

  it('rejects with the reason of its signal, during a delay and before an attempt', async () => {
    const { state, attempt } = failing(100);
    const controller = new AbortController();
    const retried = retry(attempt, { signal: controller.signal, delayMs: () => 60_000 });
    controller.abort(new Error('stopped'));
    await expect(retried).rejects.toThrow('stopped');
    await expect(retry(attempt, { signal: controller.signal })).rejects.toThrow('stopped');
    expect(state.calls).toBe(1);
  });
});

describe('backoffMs', () => {
  it('doubles from 100 ms to 5 s with a jitter of a half', () => {
    expect([1, 2, 3, 6, 7, 1_000].map((failures) => backoffMs(failures, () => 1))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ]);
    expect(backoffMs(1, () => 0)).toBe(50);
  });
});
