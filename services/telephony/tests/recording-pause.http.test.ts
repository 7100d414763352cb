import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRecordingPauses } from '../src/after-call/recordings/live/recording-pauses.store.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

describe('[calls.28] POST /v2/call/{id}/recording/pause and /resume', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  const send = (of: string, id: string, what: string) =>
    harness.ask(of, 'POST', `/v2/call/${id}/recording/${what}`);
  const timelineOf = async (of: string, id: string): Promise<Json[]> =>
    (await harness.ask(of, 'GET', `/v2/call/${id}/timeline`)).body.data;

  /** A call whose worker is played by the test. */
  const recordedCall = async (fields: Record<string, unknown> = LIVE, isRecorded = true) => {
    const [of, workerId] = [newWorkspace(), randomUUID()];
    const { id } = await seedCall(harness.sql, of, { ...fields, worker_id: workerId });
    if (isRecorded)
      await harness.sql.$executeRaw`INSERT INTO recording_segments
        (id, call_id, workspace_id, worker_id, start_ms, sample_rate)
        VALUES (${randomUUID()}::uuid, ${id}::uuid, ${of}::uuid, ${workerId}::uuid, 0, 8000)`;
    const pauses = createRecordingPauses(harness.sql);
    const confirmAll = async (as = workerId) => {
      const requested = await pauses.requested(as);
      for (const request of requested) await pauses.confirm(as, request, new Date());
      return requested;
    };
    return { of, id, workerId, pauses, confirmAll };
  };

  it('responds when the worker of the call has done it, and is an entry of the timeline', async () => {
    const { of, id, confirmAll } = await recordedCall();
    for (const [what, state, entry] of [
      ['pause', 'paused', 'The recording was paused.'],
      ['resume', 'recording', 'The recording was resumed.'],
    ] as const) {
      const answer = send(of, id, what);
      let requested: Json[] = [];
      while (requested.length === 0) requested = await confirmAll();
      const { status, body } = await answer;
      expect([status, body.data]).toEqual([200, { id, recording: state }]);
      expect((await timelineOf(of, id)).at(-1)).toMatchObject({ type: 'recording', message: entry });
      // Repeated: nothing is requested of the worker.
      expect((await send(of, id, what)).body.data).toEqual({ id, recording: state });
      expect(await confirmAll()).toEqual([]);
    }
    expect((await timelineOf(of, id)).map(({ state }) => state)).toEqual(['paused', 'resumed']);
  });

  it('responds after two seconds if no worker does it, and the next request replaces it', async () => {
    const { of, id, workerId, pauses, confirmAll } = await recordedCall();
    const beganMs = performance.now();
    expect((await send(of, id, 'pause')).body.data).toEqual({ id, recording: 'pausing' });
    expect(performance.now() - beganMs).toBeGreaterThan(1_900);
    const [late] = await pauses.requested(workerId);
    expect(late).toEqual({ id, isPaused: true });
    expect((await send(of, id, 'resume')).body.data).toEqual({ id, recording: 'resuming' });
    // The first request was read before it was replaced.
    if (late) await pauses.confirm(workerId, late, new Date());
    // Another worker does not have the call.
    await pauses.confirm(randomUUID(), { id, isPaused: false }, new Date());
    expect(await confirmAll()).toEqual([{ id, isPaused: false }]);
    expect((await timelineOf(of, id)).map(({ state }) => state)).toEqual(['resumed']);
  });

  it.each([
    ['is over', {}, true, 'The call is over'],
    ['has no recording while it runs', LIVE, false, 'The call is not being recorded'],
  ])('is 409 CONFLICT if the call %s', async (_, fields, isRecorded, message) => {
    const { of, id } = await recordedCall(fields, isRecorded);
    for (const what of ['pause', 'resume']) {
      const { status, body } = await send(of, id, what);
      expect([status, body.error]).toMatchObject([409, { code: 'CONFLICT', message }]);
    }
  });

  it('is 409 CONFLICT if the call ends before its worker has done it', async () => {
    const { of, id } = await recordedCall();
    const answer = send(of, id, 'pause');
    await harness.sql.$executeRaw`UPDATE calls SET status = 'completed', phase = 'ended', ended_at = now(),
      duration = 1, cost = 1, disconnection_reason = 'user_hangup' WHERE id = ${id}::uuid`;
    expect((await answer).status).toBe(409);
  });

  it('is 404 for a call of another workspace and an unknown one, 422 for a malformed id', async () => {
    const { of, id, confirmAll } = await recordedCall();
    for (const what of ['pause', 'resume']) {
      expect((await send(newWorkspace(), id, what)).status).toBe(404);
      expect((await send(of, randomUUID(), what)).status).toBe(404);
      expect((await send(of, '12', what)).status).toBe(422);
    }
    expect(await confirmAll()).toEqual([]);
  });
});
