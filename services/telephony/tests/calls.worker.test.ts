import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { callFrom, connectNumber, finished } from './place-call.ts';

describe('a call on the simulated carrier (D10)', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness({
      TELEPHONY_ROLE: 'all',
      CLOCK_RATE: '30',
      CLOCK_ORIGIN_MS: String(Date.now()),
    });
  });
  afterAll(() => harness.close());

  it('answers after a short ring, talks a few turns and hangs up', async () => {
    const workspaceId = newWorkspace();
    const number = await connectNumber(harness, workspaceId);
    const call = await finished(harness, workspaceId, await callFrom(harness, number, anyNumber('4242')));
    console.log(call);
    expect(call).toMatchObject({ status: 'completed', disconnection_reason: 'user_hangup' });
    await eventually(async () => {});
  });
});
