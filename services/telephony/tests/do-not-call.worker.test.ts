import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { callFrom, connectNumber, FAST, finished, publishedEventsOf, requestDial } from './place-call.ts';

/** The list is checked before every dial, from the API or a campaign [calls.3]. */
describe('a number that is added to the do-not-call list while a dial to it waits', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
  });
  afterAll(() => harness.close());

  const list = (of: string, ...phone_numbers: string[]) =>
    harness.ask(of, 'POST', '/v1/do-not-call', { body: { phone_numbers } });
  const legsOf = (id: string) =>
    harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM simulated_legs WHERE reference = ${id}::uuid`;

  it('a queued call ends as dial_failed without a dial, and the timeline shows why', async () => {
    const number = await connectNumber(harness);
    const [unwanted, wanted] = [anyNumber(), anyNumber('0002')];
    const refused = await callFrom(harness, number, unwanted);
    const dialed = await callFrom(harness, number, wanted);
    await list(number.workspaceId, unwanted);
    const worker = await harness.boot({ PROCESSES: 'worker' });
    const call = await finished(harness, number.workspaceId, refused);
    expect(call).toMatchObject({
      status: 'completed',
      disconnection_reason: 'dial_failed',
      duration: 0,
      cost: 0,
    });
    expect(await legsOf(refused)).toEqual([]);
    await eventually(() =>
      expect(publishedEventsOf(harness, refused)).toEqual(['call.ended', 'call.analyzed']),
    );
    const { body } = await harness.ask(number.workspaceId, 'GET', `/v2/call/${refused}/timeline`);
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual(['queued', 'ended', 'analyzed']);
    expect(body.data[1]).toMatchObject({
      cause: 'do_not_call',
      message: expect.stringContaining('do-not-call'),
    });
    expect((await finished(harness, number.workspaceId, dialed)).disconnection_reason).toBe('dial_busy');
    await worker.stop();
  });

  it("a campaign's dial is refused as do_not_call, and creates no call", async () => {
    const number = await connectNumber(harness);
    const [unwanted, wanted] = [anyNumber(), anyNumber('0002')];
    await list(number.workspaceId, unwanted);
    const worker = await harness.boot({ PROCESSES: 'worker' });
    const refused = await requestDial(harness, number, { to_number: unwanted });
    const dialed = await requestDial(harness, number, { to_number: wanted });
    await eventually(() => {
      const refusals = harness.bus
        .received('dial.refused')
        .filter(({ data }) => data.call_id === refused.call_id);
      expect(refusals).toMatchObject([
        {
          workspace_id: number.workspaceId,
          data: { campaign_id: refused.campaign_id, contact_id: refused.contact_id, reason: 'do_not_call' },
        },
      ]);
    });
    await eventually(() => expect(publishedEventsOf(harness, dialed.call_id)).toContain('call.ended'));
    expect(
      await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM calls WHERE id = ${refused.call_id}::uuid`,
    ).toEqual([]);
    const states = await harness.callAsService(number.workspaceId, 'POST', '/internal/dials/states', {
      call_ids: [refused.call_id],
    });
    expect(states.body.data).toEqual([{ call_id: refused.call_id, state: 'refused', reason: 'do_not_call' }]);
    await worker.stop();
  });
});
