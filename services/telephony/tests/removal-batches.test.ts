import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RemovalStep } from '@parley/kit/removal';
import { stopSteps } from '../src/removal/stop-calls.store.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ PROCESSES: 'api' });
});
afterAll(() => harness.close());

it('a removal refuses fewer dials, and stops fewer calls, at once after a timeout [trust.19]', async () => {
  const { clock, outbox } = harness.context;
  const workspaceId = newWorkspace();
  for (let n = 0; n < 3; n += 1) {
    await seedCall(harness.sql, workspaceId, LIVE);
    await harness.sql.$executeRaw`
      INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, agent_id, to_number, dynamic_variables, requested_at)
      VALUES (${randomUUID()}::uuid, ${workspaceId}::uuid, ${randomUUID()}::uuid, ${randomUUID()}::uuid, ${anyNumber()}, '{}', now())`;
  }
  const subject = { removalId: randomUUID(), workspaceId, phoneNumber: null, keepDoNotCall: true };
  const run = (step: RemovalStep | undefined, halvings: number) =>
    outbox.transaction(async (tx) => await step?.(tx, { ...subject, sinceXid: null, halvings }, null));
  const stoppedCalls = async () => {
    const [row] = await harness.sql.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM calls WHERE workspace_id = ${workspaceId}::uuid AND stop_requested_at IS NOT NULL`;
    return row?.count;
  };
  const [refuseDials, stopLive] = stopSteps({ clock });
  expect(await run(refuseDials, 6)).toEqual({ removed: { waiting_dials: 1 }, next: 'more' });
  expect(await run(refuseDials, 0)).toEqual({ removed: { waiting_dials: 2 }, next: null });
  const waits = { next: null, waiting: 'the end of a call that is in progress' };
  expect([await run(stopLive, 6), await stoppedCalls()]).toEqual([waits, 1]);
  expect([await run(stopLive, 0), await stoppedCalls()]).toEqual([waits, 3]);
});
