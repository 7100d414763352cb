import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { createLifecycle } from '../lifecycle/index.ts';
import { createLogger } from '../log/index.ts';
import { realSleep } from '../time/index.ts';
import { createJobLoop } from './job-loop.ts';

function setUp(run: (signal: AbortSignal, count: number) => Promise<boolean>, everyMs = 60_000) {
  const lines: { level: string; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ service: 'test', level: 'info', destination });
  const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  const state = { runs: 0 };
  const loop = createJobLoop({
    name: 'test',
    everyMs,
    log,
    lifecycle,
    run: (signal) => {
      state.runs += 1;
      return run(signal, state.runs);
    },
  });
  return { loop, lifecycle, state, lines };
}

describe('createJobLoop', () => {
  it('runs at once, again while there is more, then waits', async () => {
    const { loop, state } = setUp(async (_, count) => count < 3);
    await eventually(() => expect(state.runs).toBe(3));
    await realSleep(20);
    expect(state.runs).toBe(3);
    await loop.stop();
  });

  it('runs again after its interval', async () => {
    const { loop, state } = setUp(async () => false, 5);
    await eventually(() => expect(state.runs).toBeGreaterThan(3));
    await loop.stop();
  });

  it('a wake-up ends the wait, or adds one run after the current one', async () => {
    const { loop, state } = setUp(async () => {
      await realSleep(20);
      return false;
    });
    await eventually(() => expect(state.runs).toBe(1));
    loop.wake();
    loop.wake();
    await eventually(() => expect(state.runs).toBe(2));
    await realSleep(50);
    expect(state.runs).toBe(2);
    loop.wake();
    await eventually(() => expect(state.runs).toBe(3));
    await loop.stop();
  });

  it('runs one at a time', async () => {
    let running = 0;
    let max = 0;
    const { loop } = setUp(async (_, count) => {
      running += 1;
      max = Math.max(max, running);
      await realSleep(2);
      running -= 1;
      return count < 10;
    });
    for (let i = 0; i < 10; i += 1) {
      loop.wake();
      await realSleep(2);
    }
    await loop.stop();
    expect(max).toBe(1);
  });

  it('continues after errors, with a backoff that wake-ups do not shorten', async () => {
    const { loop, state, lines } = setUp(async () => {
      throw new Error('broken');
    });
    for (let i = 0; i < 20; i += 1) {
      loop.wake();
      await realSleep(5);
    }
    // At least 50, 100, 200, … ms between the runs, however often it is woken.
    expect(state.runs).toBeLessThanOrEqual(6);
    await eventually(() => expect(state.runs).toBeGreaterThanOrEqual(2));
    expect(lines.filter(({ msg }) => msg === 'job failed').length).toBe(state.runs);
    await loop.stop();
  });

  it('logs the beginning and the end of an outage', async () => {
    const { loop, lines } = setUp(async (_, count) => {
      if (count <= 2) throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
      return false;
    });
    await eventually(() =>
      expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
        ['warn', 'job waits for a dependency'],
        ['info', 'job recovered'],
      ]),
    );
    await loop.stop();
  });

  it('stops with the process: aborts the signal and waits for the run', async () => {
    let ended = false;
    const { lifecycle, state } = setUp(async (signal) => {
      await realSleep(60_000, signal).catch(() => {});
      await realSleep(20);
      ended = true;
      return true;
    });
    await eventually(() => expect(state.runs).toBe(1));
    await lifecycle.stop('test');
    expect(ended).toBe(true);
    expect(state.runs).toBe(1);
  });
});
