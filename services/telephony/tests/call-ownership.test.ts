import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { createCallHolders } from '../src/sessions/call-holders.store.ts';
import { createTurnWriter } from '../src/sessions/turn-writer.store.ts';
import type { WithoutErased } from '../src/sessions/without-erased.ts';
import { createWorkers } from '../src/sessions/workers.store.ts';
import { newWorkspace } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';
import { dialingCall } from './session-parts.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const withoutErased: WithoutErased = async (_, value) => value;

let database: Awaited<ReturnType<typeof testDatabase>>;
let sql: SqlClient;

beforeAll(async () => {
  database = await testDatabase('telephony');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

/** A live call whose worker's lease expires after this many seconds. */
async function heldCall(fence = 1, leaseSeconds = 60) {
  const workerId = randomUUID();
  await sql.$executeRaw`INSERT INTO call_workers (id, expires_at) VALUES (${workerId}::uuid, clock_timestamp() + ${leaseSeconds} * interval '1 second')`;
  const { id } = await seedCall(sql, newWorkspace(), { ...LIVE, worker_id: workerId, fence });
  const call = (held: number) => ({ ...dialingCall, id, fence: held });
  return { id, call, workerId, owner: { workerId, isLive: () => true } };
}

describe('the owner of a call', () => {
  it('is its worker, by its fence, until the worker dies or the call ends', async () => {
    const holds = createCallHolders(sql);
    const { id, call, owner } = await heldCall(2);
    expect(await holds(owner, call(2))).toBe(true);
    expect(await holds(owner, call(1))).toBe(false);
    expect(await holds({ ...owner, workerId: randomUUID() }, call(2))).toBe(false);
    await sql.$executeRaw`UPDATE calls SET status = 'completed', phase = 'ended', ended_at = now(), duration = 1, cost = 1,
         disconnection_reason = 'user_hangup' WHERE id = ${id}::uuid`;
    expect(await holds(owner, call(2))).toBe(false);
  });

  it('is unknown once the lease has expired', async () => {
    const { call, owner } = await heldCall(1, -1);
    await expect(createCallHolders(sql)(owner, call(1))).rejects.toThrow('lease');
  });
});

describe('crashes of workers', () => {
  it('are distinguished from planned handovers, and counted for each step', async () => {
    const workers = createWorkers(sql);
    const died = await heldCall(1, -1);
    const left = await heldCall(1, -1);
    await sql.$executeRaw`UPDATE call_workers SET handed_over = true WHERE id = ${left.workerId}::uuid`;
    const heir = randomUUID();
    const taken = await workers.takeOver(heir, 100);
    const crashed = new Map(taken.map(({ call, workerCrashed }) => [call.id, workerCrashed]));
    expect(crashed.get(died.id)).toBe(true);
    expect(crashed.get(left.id)).toBe(false);

    const calls = taken.filter(({ call }) => call.id === died.id).map(({ call }) => call);
    const count = async (name: string, atWork = true) =>
      (
        await workers.countCrashes(
          heir,
          calls.map((call) => ({ call, step: { name, atWork } })),
        )
      ).get(died.id);
    expect(await count('turn 1')).toEqual({ atStep: 1, total: 1 });
    expect(await count('turn 2')).toEqual({ atStep: 1, total: 2 });
    expect(await count('turn 2')).toEqual({ atStep: 2, total: 3 });
    // A worker that waited died with its machine, and a minute later the next one did.
    const pause = (seconds: number) =>
      sql.$executeRaw`UPDATE calls SET crashed_at = crashed_at - make_interval(secs => ${seconds}) WHERE id = ${died.id}::uuid`;
    expect(await count('turn 3', false)).toEqual({ atStep: 1, total: 4 });
    await pause(61);
    expect(await count('turn 3', false)).toEqual({ atStep: 1, total: 5 });
    await pause(50);
    expect(await count('turn 3', false)).toEqual({ atStep: 2, total: 6 });
    await pause(3_600);
    expect(await count('turn 3')).toEqual({ atStep: 3, total: 7 });
    // Another worker holds the call: a worker without calls counts nothing.
    expect((await workers.countCrashes(randomUUID(), [])).size).toBe(0);
    await workers.retake(heir, [died.id]);
    expect(await count('turn 2')).toBeUndefined();
  });
});

describe('turns', () => {
  const said = (seq: number, content: string) => ({ seq, at: new Date(), role: 'agent', content }) as const;
  const contents = async (id: string) =>
    (
      await sql.$queryRaw<
        { content: string }[]
      >`SELECT content FROM turns WHERE call_id = ${id}::uuid ORDER BY seq`
    ).map(({ content }) => content);

  it('are written while the worker holds the call, even after losing and regaining it', async () => {
    const { id, call, workerId } = await heldCall(1);
    const turns = createTurnWriter({ sql, log, workerId, withoutErased });
    turns.append(call(1), said(0, 'first'));
    expect(await turns.drained(call(1))).toBe(true);
    // Another worker takes it over, and then this one again.
    await sql.$executeRaw`UPDATE calls SET fence = 3 WHERE id = ${id}::uuid`;
    turns.append(call(1), said(1, 'late'));
    expect(await turns.drained(call(1))).toBe(false);
    turns.append(call(3), said(200_000, 'back'));
    expect(await turns.drained(call(3))).toBe(true);
    turns.forget(call(1));
    expect(await contents(id)).toEqual(['first', 'back']);
  });

  it('are corrected to what was heard, or removed if that is nothing, by the worker of the call [calls.17]', async () => {
    const { id, call, workerId } = await heldCall(1);
    const turns = createTurnWriter({ sql, log, workerId, withoutErased });
    turns.append(call(1), said(0, 'Good'));
    turns.correct(call(1), { seq: 0, content: 'Good morning, how' });
    turns.correct(call(1), { seq: 0, content: 'Good morning' });
    turns.append(call(1), said(1, 'Never heard'));
    turns.correct(call(1), { seq: 1, content: '' });
    expect(await turns.drained(call(1))).toBe(true);
    expect(await contents(id)).toEqual(['Good morning']);
    await sql.$executeRaw`UPDATE calls SET fence = 2 WHERE id = ${id}::uuid`;
    turns.correct(call(1), { seq: 0, content: 'Late' });
    expect(await turns.drained(call(1))).toBe(false);
    expect(await contents(id)).toEqual(['Good morning']);
  });
});
