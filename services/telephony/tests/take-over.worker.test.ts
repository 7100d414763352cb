import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { realSleep } from '@parley/kit/time';
import { eventually, faultProxy, freePort } from '@parley/testkit';
import { besideOthers } from './beside-others.ts';
import { anyNumber, type Harness } from './harness.ts';
import {
  analyzed,
  type ConnectedNumber,
  callFrom,
  connectNumber,
  FAST,
  finished,
  publishedEventsOf,
  readCall,
} from './place-call.ts';
import { workerProcess } from './worker-process.ts';

/** The lease of a dead worker expires after two real seconds, which are a minute of stack time. */
const RATE = { ...FAST, CLOCK_RATE: '30', PROCESSES: 'api' };

const itAlone = besideOthers(RATE);

describe('workers that start and stop', () => {
  const legsOf = (harness: Harness, id: string) =>
    harness.sql.$queryRaw<{ id: string }[]>`SELECT id FROM simulated_legs WHERE reference = ${id}::uuid`;

  /** The fence of its first worker is 1, or higher if the dial was undone on a busy machine. */
  const fenceOf = async (harness: Harness, id: string): Promise<number> => {
    const [row] = await harness.sql.$queryRaw<
      { fence: number }[]
    >`SELECT fence FROM calls WHERE id = ${id}::uuid`;
    return row?.fence ?? 0;
  };

  const untilTalking = (harness: Harness, workspaceId: string, id: string) =>
    eventually(async () => {
      const turns = await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM turns WHERE call_id = ${id}::uuid`;
      expect(turns.length).toBeGreaterThanOrEqual(2);
      expect((await readCall(harness, workspaceId, id)).status).toBe('in-progress');
    });

  itAlone(
    'a call goes on in another worker when its own is killed, and nothing is dialed twice',
    async (harness) => {
      const { workspaceId, ...number } = await connectNumber(harness, { settings: { maxCallDuration: 240 } });
      const quiet = await connectNumber(harness, { workspaceId, settings: { silenceTimeout: 60 } });
      const first = await workerProcess(harness);
      const ids = await Promise.all([
        ...['0007', '0001', '4242'].map((end) =>
          callFrom(harness, { workspaceId, ...number }, anyNumber(end)),
        ),
        callFrom(harness, quiet, anyNumber('0006')),
      ]);
      const [talking = ''] = ids;
      await untilTalking(harness, workspaceId, talking);
      for (const id of ids) await eventually(async () => expect(await legsOf(harness, id)).toHaveLength(1));
      const before = (
        await harness.sql.$queryRaw<{ seq: number }[]>`SELECT seq FROM turns WHERE call_id = ${talking}::uuid`
      ).length;
      await first.kill('SIGKILL');
      const second = await harness.boot({ PROCESSES: 'worker' });
      const calls = await Promise.all(ids.map((id) => finished(harness, workspaceId, id)));
      expect(calls.map((call) => call.disconnection_reason)).toEqual([
        'timeout',
        'dial_no_answer',
        'user_hangup',
        'agent_hangup',
      ]);
      expect(calls[0].transcript_json.conversation.length).toBeGreaterThan(before);
      // Measured from the answer, in any worker; the first worker has been dead for a minute.
      expect(calls[0].duration).toBeGreaterThanOrEqual(240);
      expect(calls[0].duration).toBeLessThan(240 + 60);
      for (const id of ids) {
        expect(await legsOf(harness, id)).toHaveLength(1);
        expect(publishedEventsOf(harness, id).filter((type) => type === 'call.ended')).toHaveLength(1);
        expect(publishedEventsOf(harness, id).filter((type) => type === 'call.analyzed')).toHaveLength(1);
      }
      await second.stop();
    },
  );

  itAlone('a worker that is stopped hands its calls over at once', async (harness) => {
    const number = await connectNumber(harness, { settings: { maxCallDuration: 300 } });
    const first = await harness.boot({ PROCESSES: 'worker' });
    const id = await callFrom(harness, number, anyNumber('0007'));
    await untilTalking(harness, number.workspaceId, id);
    const fence = await fenceOf(harness, id);
    const second = await harness.boot({ PROCESSES: 'worker' });
    await first.stop();
    // No call waits for a lease to expire: only the other worker's lease is still valid.
    expect(
      await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM call_workers WHERE expires_at > clock_timestamp()`,
    ).toHaveLength(1);
    await eventually(async () => expect(await fenceOf(harness, id)).toBe(fence + 1));
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('timeout');
    expect(await legsOf(harness, id)).toHaveLength(1);
    await second.stop();
  });

  itAlone('a worker that stood still does not hang up what another carries by now', async (harness) => {
    const number = await connectNumber(harness, { settings: { silenceTimeout: 120 } });
    const first = await workerProcess(harness);
    const id = await callFrom(harness, number, anyNumber('0006'));
    const upFor = async (seconds: number) => {
      const { answered_at } = await readCall(harness, number.workspaceId, id);
      expect(harness.context.clock.now().getTime()).toBeGreaterThan(Date.parse(answered_at) + seconds * 1000);
    };
    // The assistant has greeted and waits for the human.
    await eventually(() => upFor(10));
    const fence = await fenceOf(harness, id);
    first.pause();
    // As if the human had just spoken: the other worker answers and waits again.
    await harness.sql
      .$executeRaw`INSERT INTO turns (call_id, seq, role, content, at) VALUES (${id}::uuid, 50, 'user', 'Hello?', ${harness.context.clock.now()}::timestamptz)`;
    const second = await harness.boot({ PROCESSES: 'worker' });
    await eventually(async () => expect(await fenceOf(harness, id)).toBe(fence + 1));
    // The first silence timeout expires after four real seconds; the second began with the answer of the other worker.
    await eventually(() => upFor(130));
    first.goOn();
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup' });
    const [leg] = await harness.sql.$queryRaw<
      { ended_at: Date }[]
    >`SELECT ended_at FROM simulated_legs WHERE reference = ${id}::uuid`;
    expect(Number(leg?.ended_at) - Date.parse(call.answered_at)).toBeGreaterThan(170_000);
    await first.kill('SIGKILL');
    await second.stop();
  });

  itAlone('silence goes on counting in whoever takes the call over [assistants.10]', async (harness) => {
    const settings = { silenceTimeout: 400, maxCallDuration: 1_200 };
    const number = await connectNumber(harness, { settings });
    let worker = await harness.boot({ PROCESSES: 'worker' });
    const id = await callFrom(harness, number, anyNumber('0006'));
    const turnsOf = () =>
      harness.sql.$queryRaw<{ at: Date }[]>`SELECT at FROM turns WHERE call_id = ${id}::uuid`;
    await eventually(async () => expect(await turnsOf()).toHaveLength(1));
    const [greeting] = await turnsOf();
    const fence = await fenceOf(harness, id);
    const silentMs = (now: number): number => now - Number(greeting?.at);
    for (const [index, afterMs] of [100_000, 200_000].entries()) {
      const next = await harness.boot({ PROCESSES: 'worker' });
      const isTime = () => expect(silentMs(Number(harness.context.clock.now()))).toBeGreaterThan(afterMs);
      await eventually(isTime);
      await worker.stop();
      worker = next;
      // Taken over before another worker starts, which could take it, too.
      await eventually(async () => expect(await fenceOf(harness, id)).toBe(fence + index + 1));
    }
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('agent_hangup');
    expect(await fenceOf(harness, id)).toBeGreaterThanOrEqual(fence + 2);
    expect(silentMs(Date.parse(call.ended_at))).toBeGreaterThan(400_000);
    // A timeout that restarted at the second takeover would end only then.
    expect(silentMs(Date.parse(call.ended_at))).toBeLessThan(600_000);
    await worker.stop();
  });

  itAlone('a worker whose connections are all busy keeps its calls', async (harness) => {
    const number = await connectNumber(harness, { settings: { maxCallDuration: 300 } });
    const first = await harness.boot({ PROCESSES: 'worker', DATABASE_POOL: '2' });
    const id = await callFrom(harness, number, anyNumber('0007'));
    await untilTalking(harness, number.workspaceId, id);
    const fence = await fenceOf(harness, id);
    const second = await harness.boot({ PROCESSES: 'worker' });
    // Longer than a lease lasts.
    const busy = [1, 2].map(() => first.context.prisma.$queryRaw`SELECT pg_sleep(3)::text`);
    await Promise.all(busy);
    await finished(harness, number.workspaceId, id);
    expect(await fenceOf(harness, id)).toBe(fence);
    await first.stop();
    await second.stop();
  });

  /** A call as the dialer commits it, immediately before it calls the carrier. */
  const committed = async (harness: Harness, number: ConnectedNumber) => {
    const first = await harness.boot({ PROCESSES: 'worker' });
    await finished(harness, number.workspaceId, await callFrom(harness, number, anyNumber('0002')));
    await first.stop();
    const id = await callFrom(harness, number, anyNumber('4242'));
    await harness.sql.$executeRaw`UPDATE dial_requests SET state = 'dialled' WHERE call_id = ${id}::uuid`;
    const giveTo = (worker: string) =>
      harness.sql
        .$executeRaw`UPDATE calls SET phase = 'dialing', fence = 1, started_at = created_at, worker_id = (${raw(worker)})
         WHERE id = ${id}::uuid`;
    return { id, giveTo };
  };

  itAlone(
    'a dial whose worker died before it left is never dialed again, and the timeline says so [calls.11]',
    async (harness) => {
      const number = await connectNumber(harness, { settings: { ringTimeout: 5 } });
      const { id, giveTo } = await committed(harness, number);
      const dead = randomUUID();
      await harness.sql
        .$executeRaw`INSERT INTO call_workers VALUES (${dead}::uuid, clock_timestamp() - interval '1 second')`;
      await giveTo(`SELECT '${dead}'::uuid`);
      const second = await harness.boot({ PROCESSES: 'worker' });
      const call = await finished(harness, number.workspaceId, id);
      expect(call.disconnection_reason).toBe('dial_failed');
      // Ring time and thirty seconds.
      expect(Date.parse(call.ended_at) - Date.parse(call.started_at)).toBeGreaterThanOrEqual(35_000);
      expect(await legsOf(harness, id)).toHaveLength(0);
      const timeline = await harness.ask(number.workspaceId, 'GET', `/v2/call/${id}/timeline`);
      expect(timeline.body.data.map(({ type }: { type: string }) => type)).toEqual([
        'queued',
        'ended',
        'analyzed',
      ]);
      expect(timeline.body.data[1].message).toMatch('the number was not dialed');
      await second.stop();
    },
  );

  itAlone(
    "a campaign's dial whose worker died before it left is no call, and goes back [campaigns.11]",
    async (harness) => {
      const number = await connectNumber(harness, { settings: { ringTimeout: 5 } });
      const { id, giveTo } = await committed(harness, number);
      const [campaignId, contactId] = [randomUUID(), randomUUID()];
      const { prisma } = harness.context;
      await prisma.call.update({ where: { id }, data: { campaignId, contactId } });
      const data = { campaignId, contactId, generation: 1 };
      await prisma.dialRequest.update({ where: { callId: id }, data });
      const dead = randomUUID();
      await harness.sql
        .$executeRaw`INSERT INTO call_workers VALUES (${dead}::uuid, clock_timestamp() - interval '1 second')`;
      await giveTo(`SELECT '${dead}'::uuid`);
      const second = await harness.boot({ PROCESSES: 'worker' });
      await eventually(() => expect(publishedEventsOf(harness, id)).toEqual(['dial.refused']), {
        timeoutMs: 25_000,
      });
      const [refused] = harness.bus.received('dial.refused').filter(({ data }) => data.call_id === id);
      expect(refused?.data).toEqual({
        call_id: id,
        campaign_id: campaignId,
        contact_id: contactId,
        reason: 'withdrawn',
      });
      for (const rows of ['calls WHERE id', 'call_events WHERE call_id', 'simulated_legs WHERE reference'])
        expect(await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM ${raw(rows)} = ${id}::uuid`).toEqual([]);
      expect(await readCall(harness, number.workspaceId, id)).toBeUndefined();
      const states = await harness.callAsService(number.workspaceId, 'POST', '/internal/dials/states', {
        call_ids: [id],
      });
      expect(states.body.data).toEqual([{ call_id: id, state: 'refused', reason: 'withdrawn' }]);
      await second.stop();
    },
  );

  itAlone(
    'a call that a live worker was given and does not carry goes on: the acknowledgement of a commit was lost',
    async (harness) => {
      const number = await connectNumber(harness, { settings: { ringTimeout: 5 } });
      const { id, giveTo } = await committed(harness, number);
      const second = await harness.boot({ PROCESSES: 'worker' });
      await giveTo('SELECT id FROM call_workers ORDER BY expires_at DESC LIMIT 1');
      const call = await finished(harness, number.workspaceId, id);
      expect(call.disconnection_reason).toBe('dial_failed');
      expect(await legsOf(harness, id)).toHaveLength(0);
      await second.stop();
    },
  );

  itAlone('an analysis whose worker died is done by another within seconds', async (harness) => {
    const number = await connectNumber(harness);
    const first = await harness.boot({ PROCESSES: 'worker' });
    const id = await callFrom(harness, number, anyNumber('0002'));
    await finished(harness, number.workspaceId, id);
    await first.stop();
    // The state after a worker was killed in the middle of it.
    await harness.sql
      .$executeRaw`UPDATE calls SET analysed_at = NULL, analysis_due_at = ended_at, worker_id = gen_random_uuid(),
         analysis_lease_until = clock_timestamp() + interval '100 seconds' WHERE id = ${id}::uuid`;
    const second = await harness.boot({ PROCESSES: 'worker' });
    const ids = () => new Set(analyzed(harness, id).map((message) => message.id));
    await eventually(() => expect(ids().size).toBe(2));
    await second.stop();
  });

  itAlone('a call whose assistant is nowhere to be found ends with error', async (harness) => {
    const number = await connectNumber(harness);
    const first = await harness.boot({ PROCESSES: 'worker' });
    const id = await callFrom(harness, number, anyNumber('0007'));
    await untilTalking(harness, number.workspaceId, id);
    await harness.sql
      .$executeRaw`DELETE FROM agent_snapshots WHERE agent_id = ${number.agent.agent_id}::uuid`;
    await first.stop();
    const second = await harness.boot({ PROCESSES: 'worker' });
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('error');
    await second.stop();
  });

  itAlone(
    'a worker that starts while its database is away waits for it, alive and unready',
    async (harness) => {
      const database = await faultProxy(harness.databaseUrl);
      harness.onClose(() => database.close());
      database.cut();
      const port = await freePort();
      const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
      const env = { PROCESSES: 'worker', PORT: String(port), DATABASE_URL: database.url };
      let outcome = 'waiting';
      const booting = harness.boot(env).then((worker) => {
        outcome = 'started';
        return worker;
      });
      booting.catch((error: unknown) => {
        outcome = `failed: ${error}`;
      });
      await eventually(async () => expect(await statusOf('/healthz')).toBe(200));
      // Longer than the retries for a slow database.
      await realSleep(6_000);
      expect([outcome, await statusOf('/healthz'), await statusOf('/readyz')]).toEqual(['waiting', 200, 503]);
      database.restore();
      await eventually(() => expect(outcome).toBe('started'));
      await eventually(async () => expect(await statusOf('/readyz')).toBe(200));
      const number = await connectNumber(harness, {});
      const id = await callFrom(harness, number, anyNumber());
      expect((await finished(harness, number.workspaceId, id)).status).toBe('completed');
      await (await booting).stop();
    },
  );
});
