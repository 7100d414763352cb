import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { callFrom, connectNumber, FAST, finished } from './place-call.ts';

const MAX_LIVE_CALLS = 2;

describe('a worker with a limited capacity', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
  });
  afterAll(() => harness.close());

  it('dials no more calls than it can carry, and publishes what is left [campaigns.10]', async () => {
    const number = await connectNumber(harness);
    const ids = await Promise.all(
      Array.from({ length: 6 }, () => callFrom(harness, number, anyNumber('4242'))),
    );
    const worker = await harness.boot({
      PROCESSES: 'worker',
      MAX_LIVE_CALLS: String(MAX_LIVE_CALLS),
    });
    const free = async (): Promise<number> => {
      const metrics = await (await fetch(`${worker.url}/metrics`)).text();
      return Number(/^parley_worker_free_calls(?:\{.*\})? (\d+)$/m.exec(metrics)?.[1]);
    };
    await eventually(async () => expect(await free()).toBe(0));
    const capacity = await harness.sql.$queryRaw<unknown[]>`SELECT max_calls FROM call_workers`;
    expect(capacity).toEqual([{ max_calls: MAX_LIVE_CALLS }]);
    await Promise.all(ids.map((id) => finished(harness, number.workspaceId, id)));
    const rows = await harness.sql.$queryRaw<
      { live: number }[]
    >`SELECT (SELECT count(*)::int FROM calls o WHERE o.started_at <= c.started_at AND o.ended_at > c.started_at) AS live
       FROM calls c`;
    expect(Math.max(...rows.map(({ live }) => live))).toBe(MAX_LIVE_CALLS);
    await eventually(async () => expect(await free()).toBe(MAX_LIVE_CALLS));
    await worker.stop();
  });
});
