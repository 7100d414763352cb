import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../log/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';
import { createLifecycle } from './create-lifecycle.ts';

const log = createLogger({ service: 'test', level: 'silent' });

describe('createLifecycle', () => {
  it('releases in reverse order, one after the other, once', async () => {
    const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
    const released: string[] = [];
    for (const name of ['database', 'broker', 'server']) {
      lifecycle.onStop(name, async () => {
        await realSleep(5);
        released.push(name);
      });
    }
    expect(lifecycle.signal.aborted).toBe(false);
    const stops = [lifecycle.stop('a'), lifecycle.stop('b')];
    expect(lifecycle.signal.aborted).toBe(true);
    await Promise.all(stops);
    await lifecycle.stop('c');
    expect(released).toEqual(['server', 'broker', 'database']);
  });

  it('continues when a release throws or never ends', async () => {
    const lifecycle = createLifecycle(log, { deadlineMs: 100 });
    let released = false;
    lifecycle.onStop('first', () => {
      released = true;
    });
    lifecycle.onStop('throws', () => {
      throw new Error('x');
    });
    lifecycle.onStop('hangs', () => new Promise(() => {}));
    const before = monotonicMs();
    await lifecycle.stop('test');
    expect(released).toBe(true);
    expect(monotonicMs() - before).toBeLessThan(3_000);
  });

  it('releases at once what is opened during the shutdown', async () => {
    const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
    await lifecycle.stop('test');
    let released = false;
    lifecycle.onStop('late', () => {
      released = true;
    });
    expect(released).toBe(true);
  });
});
