import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { type ConnectedNumber, connectNumber, FAST } from './place-call.ts';

/** No dial starts after the hours have closed. */
describe('a dial of a campaign whose hours close', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(FAST);
  });
  afterAll(() => harness.close());

  const dial = async (number: ConnectedNumber, to_number: string, more: Record<string, unknown> = {}) => {
    const data = {
      call_id: randomUUID(),
      campaign_id: randomUUID(),
      contact_id: randomUUID(),
      generation: 1,
      agent_id: number.agent.agent_id,
      phone_number_id: number.id,
      to_number,
      dynamic_variables: {},
      ...more,
    };
    await harness.bus.publish('dial.requested', number.workspaceId, data);
    return data;
  };
  const legsOf = (id: string) =>
    harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM simulated_legs WHERE reference = ${id}::uuid`;

  it('is refused when the hours have closed while it waited', async () => {
    const number = await connectNumber(harness);
    const { call_id } = await dial(number, anyNumber('0002'), { not_after: '2020-01-01T00:00:00.000Z' });
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
