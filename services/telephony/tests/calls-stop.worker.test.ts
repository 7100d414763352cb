import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { createStoppableCalls } from '../src/sessions/call-stops.store.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import {
  type ConnectedNumber,
  callFrom,
  connectNumber,
  FAST,
  finished,
  holdDials,
  publishedEventsOf,
  readCall,
} from './place-call.ts';
import { LIVE, seedCall } from './seed-call.ts';

/** The process that receives the requests only serves HTTP: another one carries the calls. */
describe('[calls.2] POST /v2/call/{id}/stop', () => {
  let harness: Harness;
  let worker: Awaited<ReturnType<Harness['boot']>>;

  beforeAll(async () => {
    harness = await startHarness({ ...FAST, CLOCK_RATE: '10', PROCESSES: 'api' });
    worker = await harness.boot({ PROCESSES: 'worker' });
  });
  afterAll(() => harness.close());

  const stop = (of: string, id: string) => harness.ask(of, 'POST', `/v2/call/${id}/stop`);
  /** The call in the response, which is over; or, if its worker needed more than two seconds, the call after its end. */
  const stopped = async (of: string, id: string): Promise<Json> => {
    const beganMs = performance.now();
    const { status, body } = await stop(of, id);
    const tookMs = performance.now() - beganMs;
    expect(status).toBe(200);
    expect(body.data.status === 'completed' || tookMs > 1_900).toBe(true);
    return body.data.status === 'completed' ? body.data : finished(harness, of, id);
  };
  const legsOf = (id: string) =>
    harness.sql.$queryRaw<
      { cause: string }[]
    >`SELECT ended_cause AS cause FROM simulated_legs WHERE reference = ${id}::uuid`;
  const untilStatus = (of: string, id: string, status: string) =>
    eventually(async () => expect((await readCall(harness, of, id)).status).toBe(status));
  const requestOf = async (id: string): Promise<string | undefined> => {
    const rows = await harness.sql.$queryRaw<
      { state: string }[]
    >`SELECT state FROM dial_requests WHERE call_id = ${id}::uuid`;
    return rows[0]?.state;
  };
  const timelineOf = async (of: string, id: string) =>
    (await harness.ask(of, 'GET', `/v2/call/${id}/timeline`)).body.data;
  const endless = () => connectNumber(harness, { settings: { maxCallDuration: 600, ringTimeout: 120 } });

  it('hangs up before it answers, in any process: 200 with the single read, agent_hangup', async () => {
    const { workspaceId, ...number } = await endless();
    const id = await callFrom(harness, { workspaceId, ...number }, anyNumber('0007'));
    await untilStatus(workspaceId, id, 'in-progress');
    const call = await stopped(workspaceId, id);
    expect(call).toMatchObject({ id, status: 'completed', disconnection_reason: 'agent_hangup' });
    expect(call.duration).toBeGreaterThan(0);
    expect(await legsOf(id)).toEqual([{ cause: 'local' }]);
    await finished(harness, workspaceId, id);
    await eventually(() =>
      expect(publishedEventsOf(harness, id)).toEqual(['call.started', 'call.ended', 'call.analyzed']),
    );
    const ended = (await timelineOf(workspaceId, id)).find(({ type }: { type: string }) => type === 'ended');
    expect(ended).toMatchObject({ cause: 'stopped', disconnection_reason: 'agent_hangup' });
  });

  it('ends a ringing call as agent_hangup, unanswered [calls.5]', async () => {
    const number = await endless();
    const id = await callFrom(harness, number, anyNumber('0001'));
    await untilStatus(number.workspaceId, id, 'ringing');
    expect(await stopped(number.workspaceId, id)).toMatchObject({
      status: 'completed',
      disconnection_reason: 'agent_hangup',
      answered_at: null,
      duration: 0,
      cost: 0,
    });
  });

  it('ends a queued call, which is never dialed', async () => {
    const slow = await connectNumber(harness, { maxCps: 0.1 });
    const letDial = await holdDials(harness, slow);
    const waiting = await callFrom(harness, slow, anyNumber('4242'));
    const { status, body } = await stop(slow.workspaceId, waiting);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'completed',
      disconnection_reason: 'agent_hangup',
      duration: 0,
    });
    // The next one takes its slot.
    const next = await callFrom(harness, slow, anyNumber('0002'));
    await letDial();
    await finished(harness, slow.workspaceId, next);
    expect(await legsOf(waiting)).toEqual([]);
    await eventually(() =>
      expect(publishedEventsOf(harness, waiting)).toEqual(['call.ended', 'call.analyzed']),
    );
    const types = (await timelineOf(slow.workspaceId, waiting)).map(({ type }: { type: string }) => type);
    expect(types).toEqual(['queued', 'ended', 'analyzed']);
  });

  it('may be repeated until the call has ended, and is 409 CONFLICT afterwards', async () => {
    const number = await endless();
    const id = await callFrom(harness, number, anyNumber('0007'));
    await untilStatus(number.workspaceId, id, 'in-progress');
    const answers = await Promise.all([stop(number.workspaceId, id), stop(number.workspaceId, id)]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    await finished(harness, number.workspaceId, id);
    const { status, body } = await stop(number.workspaceId, id);
    expect(status).toBe(409);
    expect(body.error.code).toBe('CONFLICT');
    expect(publishedEventsOf(harness, id).filter((type) => type === 'call.ended')).toHaveLength(1);
  });

  it('is 404 for a call of another workspace and an unknown one, 422 for a malformed id', async () => {
    const of = newWorkspace();
    const foreign = await seedCall(harness.sql, newWorkspace(), LIVE);
    expect((await stop(of, foreign.id)).status).toBe(404);
    expect((await stop(of, randomUUID())).status).toBe(404);
    expect((await stop(of, '12')).status).toBe(422);
  });

  it("removes only the workspace's own call from the queue", async () => {
    const slow = await connectNumber(harness);
    await holdDials(harness, slow);
    const waiting = await callFrom(harness, slow, anyNumber('0002'));
    const { withdraw } = createStoppableCalls();
    await withdraw(harness.sql, newWorkspace(), waiting);
    expect(await requestOf(waiting)).toBe('waiting');
    await stop(slow.workspaceId, waiting);
    expect(await requestOf(waiting)).toBe('withdrawn');
  });

  it('withdraws a request whose dial is undone at that moment, and which waits again', async () => {
    const slow = await connectNumber(harness);
    await holdDials(harness, slow);
    const id = await callFrom(harness, slow, anyNumber('0002'));
    await harness.sql.$executeRaw`UPDATE dial_requests SET state = 'dialled' WHERE call_id = ${id}::uuid`;
    const stopping = await harness.context.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE dial_requests SET state = 'waiting' WHERE call_id = ${id}::uuid`;
      const answer = stop(slow.workspaceId, id);
      await Promise.race([answer, realSleep(500)]);
      return { answer };
    });
    expect((await stopping.answer).body.data.disconnection_reason).toBe('agent_hangup');
    expect(await requestOf(id)).toBe('withdrawn');
  });

  it('at any moment between queue and carrier, ends the call once and leaves no ringing leg', async () => {
    const number = await endless();
    const race = async (i: number): Promise<string> => {
      const id = await callFrom(harness, number, anyNumber(i % 2 ? '0001' : '0011'));
      await realSleep(i * 12);
      // On a busy machine the call may be over before the stop arrives.
      expect([200, 409]).toContain((await stop(number.workspaceId, id)).status);
      return id;
    };
    const ids = await Promise.all(Array.from({ length: 12 }, (_, i) => race(i)));
    for (const id of ids) {
      const { disconnection_reason: reason } = await finished(harness, number.workspaceId, id);
      expect(['agent_hangup', 'user_hangup']).toContain(reason);
      expect(publishedEventsOf(harness, id).filter((type) => type === 'call.ended')).toHaveLength(1);
      const legs = await legsOf(id);
      expect(legs.length).toBeLessThanOrEqual(1);
      if (reason === 'agent_hangup') for (const { cause } of legs) expect(cause).toBe('local');
    }
  });

  it('a stop requested while the worker of the call was dead is applied by the worker that takes it over', async () => {
    const number: ConnectedNumber = await endless();
    const id = await callFrom(harness, number, anyNumber('0001'));
    await untilStatus(number.workspaceId, id, 'ringing');
    await worker.stop();
    const { status, body } = await stop(number.workspaceId, id);
    expect(status).toBe(200);
    expect(body.data.status).toBe('ringing');
    worker = await harness.boot({ PROCESSES: 'worker' });
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', answered_at: null });
    expect(await legsOf(id)).toEqual([{ cause: 'local' }]);
  });
});
