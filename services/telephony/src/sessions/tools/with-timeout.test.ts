import { describe, expect, it } from '@jest/globals';
import { succeeded } from './tool-outcome.ts';
import { withTimeout } from './with-timeout.ts';

const never = new Promise<never>(() => {});

describe('withTimeout', () => {
  it('resolves with a value in time', async () => {
    const { signal } = new AbortController();
    const outcome = succeeded({ status: 'sent' });
    expect(await withTimeout(5, signal, Promise.resolve(outcome))).toBe(outcome);
    await expect(withTimeout(5, signal, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('waits no longer than the timeout, so that a silent carrier does not block a call', async () => {
    const { signal } = new AbortController();
    expect(await withTimeout(0.02, signal, never)).toMatchObject({
      error: 'The tool did not respond within 0.02 seconds',
    });
  });

  it('waits no longer than the call', async () => {
    const over = new AbortController();
    const waiting = withTimeout(30, over.signal, never);
    over.abort(new Error('over'));
    expect(await waiting).toMatchObject({ error: 'The call has ended' });
  });
});
