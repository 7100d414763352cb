import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { callFrom, connectNumber, FAST, finished, rowsOf } from './place-call.ts';

describe('strays', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ ...FAST, TELEPHONY_ROLE: 'http' });
  });
  afterAll(() => harness.close());

  it('a call committed to a live worker that has no session of it comes to its end', async () => {
    const number = await connectNumber(harness, { settings: { ringTimeout: 5 } });
    const first = await harness.boot({ TELEPHONY_ROLE: 'worker' });
    await finished(harness, number.workspaceId, await callFrom(harness, number, anyNumber('0002')));
    await first.stop();
    const id = await callFrom(harness, number, anyNumber('4242'));
    await harness.sql.$executeRawUnsafe(
      `UPDATE dial_requests SET state = 'dialled' WHERE call_id = $1::uuid`, id);
    const second = await harness.boot({ TELEPHONY_ROLE: 'worker' });
    const workers = await rowsOf<{ id: string }>(harness, 'SELECT id::text FROM call_workers WHERE expires_at > clock_timestamp()');
    await harness.sql.$executeRawUnsafe(
      `UPDATE calls SET phase = 'dialing', fence = 1, started_at = created_at, worker_id = $2::uuid WHERE id = $1::uuid`,
      id, workers[0]?.id);
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('dial_failed');
    await second.stop();
  }, 40_000);
});
