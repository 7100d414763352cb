import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { type Harness, startHarness } from './harness.ts';
import { connectNumber, FAST, requestDial } from './place-call.ts';

/** No dial starts after the hours have closed. */
describe('a dial of a campaign whose hours close', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(FAST);
  });
  afterAll(() => harness.close());

  const legsOf = (id: string) =>
    harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM simulated_legs WHERE reference = ${id}::uuid`;

  it('is refused when the hours have closed while it waited', async () => {
    const number = await connectNumber(harness);
    const { call_id } = await requestDial(harness, number, { not_after: '2020-01-01T00:00:00.000Z' });
    await eventually(
      () => {
        const refusals = harness.bus.received('dial.refused').filter(({ data }) => data.call_id === call_id);
        expect(refusals).toMatchObject([{ data: { reason: 'withdrawn' } }]);
      },
      { timeoutMs: 25_000 },
    );
    expect(await legsOf(call_id)).toEqual([]);
  });
});
