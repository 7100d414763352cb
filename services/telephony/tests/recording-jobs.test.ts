import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import {
  createRecordingQueue,
  type DueRecording,
} from '../src/after-call/recordings/recording-queue.store.ts';
import { lockCalls } from '../src/removal/delete-calls.store.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { seedCall } from './seed-call.ts';

// The jobs of recordings, and the links to them, without a worker.

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ PROCESSES: 'api' });
});
afterAll(() => harness.close());

const seedDue = async (fields: Record<string, unknown> = {}) => {
  const workspaceId = newWorkspace();
  const { id } = await seedCall(harness.sql, workspaceId, fields);
  await harness.sql.$executeRaw`
    INSERT INTO recording_jobs (call_id, workspace, due_at) VALUES (${id}::uuid, ${workspaceId}::uuid, now() - interval '1 year')`;
  return id;
};
const callOf = async (id: string): Promise<Json> =>
  (await harness.sql.$queryRaw<Json[]>`SELECT * FROM calls WHERE id = ${id}::uuid`)[0];
const jobOf = async (id: string): Promise<Json> =>
  (await harness.sql.$queryRaw<Json[]>`SELECT * FROM recording_jobs WHERE call_id = ${id}::uuid`)[0];

describe('the job of a recording', () => {
  const claim = async (id: string) => {
    const workerId = randomUUID();
    await harness.sql.$executeRaw`
      INSERT INTO call_workers (id, expires_at) VALUES (${workerId}::uuid, now() + interval '1 hour')`;
    const queue = createRecordingQueue({ sql: harness.context.prisma, workerId });
    const claimed = await queue.claim({ now: new Date(), limit: 100, share: 100, running: [] });
    const due = claimed.find(({ call }) => call.id === id) as DueRecording;
    return { queue, due };
  };
  const erase = (id: string) => harness.sql.$executeRaw`
    UPDATE recording_jobs SET attempts = attempts + 1, erased = true WHERE call_id = ${id}::uuid`;
  const now = new Date();
  const stored = (id: string) => ({ key: `${id}.wav`, sid: 'RE2', seconds: 1, bytes: 2 });

  it('ends with the id that the call has by then, as its timeline says: one that was announced, or a new one', async () => {
    for (const recording_sid of ['RE1', null]) {
      const id = await seedDue({ recording_sid: recording_sid === null ? 'RE0' : null });
      const { queue, due } = await claim(id);
      await harness.sql.$executeRaw`UPDATE calls SET recording_sid = ${recording_sid} WHERE id = ${id}::uuid`;
      expect(await queue.finish(due, stored(id), now)).toBe(true);
      const expected = recording_sid ?? 'RE2';
      expect(await callOf(id)).toMatchObject({ recording_key: `${id}.wav`, recording_sid: expected });
      const events = await harness.sql.$queryRaw<Json[]>`
        SELECT detail FROM call_events WHERE call_id = ${id}::uuid AND type = 'recording_stored'`;
      expect(events).toEqual([{ detail: { recording_sid: expected, seconds: 1, bytes: 2 } }]);
    }
  });

  it('that is announced makes the analysis due, unless there was one [calls.23]', async () => {
    for (const analysed_at of [null, now]) {
      const id = await seedDue({ analysed_at });
      const { queue, due } = await claim(id);
      await queue.announce(due, `${id}.wav`, 'RE1', now);
      expect(await callOf(id)).toMatchObject({
        recording_key: `${id}.wav`,
        recording_sid: 'RE1',
        analysis_due_at: analysed_at === null ? now : null,
      });
      await queue.finish(due, null, now);
    }
  });

  it('is lost for a worker that asks while the call is being removed', async () => {
    const id = await seedDue();
    const { queue, due } = await claim(id);
    expect(await queue.isClaimed(due)).toBe(true);
    let asking: Promise<boolean> = Promise.resolve(true);
    await harness.context.outbox.transaction(async (tx) => {
      await lockCalls(tx, sql`SELECT ${id}::text AS id`);
      asking = queue.isClaimed(due);
      await Promise.race([asking, new Promise((resolve) => setTimeout(resolve, 200))]);
      await tx.$executeRaw(sql`DELETE FROM recording_jobs WHERE call_id = ${id}::uuid`);
    });
    expect(await asking).toBe(false);
  });

  it('whose claim is void is not announced, even if it becomes so at this moment', async () => {
    const id = await seedDue();
    const { queue, due } = await claim(id);
    let announced: Promise<void> | undefined;
    await harness.context.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE recording_jobs SET attempts = attempts + 1 WHERE call_id = ${id}::uuid`;
      announced = queue.announce(due, `${id}.wav`, 'RE1', now);
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    await announced;
    expect(await callOf(id)).toMatchObject({ recording_key: null, recording_sid: null });
    await harness.sql.$executeRaw`DELETE FROM recording_jobs WHERE call_id = ${id}::uuid`;
  });

  it('whose claim is void is free once that has ended, whether it was released or postponed', async () => {
    const id = await seedDue();
    for (const [n, end] of [
      (queue: Queue, due: DueRecording) => queue.release(due),
      (queue: Queue, due: DueRecording) =>
        queue.postpone(due, new Date(Date.now() + 3_600_000), { waited: true }),
    ].entries()) {
      const { queue, due } = await claim(id);
      await erase(id);
      expect((await claim(id)).due).toBeUndefined();
      await end(queue, due);
      expect(await jobOf(id)).toMatchObject({
        lease_until: null,
        waits: 0,
        attempts: 2 * (n + 1),
        erased: true,
      });
    }
    await harness.sql.$executeRaw`DELETE FROM recording_jobs WHERE call_id = ${id}::uuid`;
  });

  it('is not released by a claim whose job another worker has claimed', async () => {
    const id = await seedDue();
    const first = await claim(id);
    await harness.sql
      .$executeRaw`UPDATE recording_jobs SET lease_until = now() - interval '1 s' WHERE call_id = ${id}::uuid`;
    const second = await claim(id);
    await first.queue.release(first.due);
    expect(await jobOf(id)).toMatchObject({ attempts: 2, lease_until: expect.any(Date) });
    expect(await second.queue.finish(second.due, null, now)).toBe(true);
  });

  it('is locked before its call, as where it ends: a removal and a worker do not block each other', async () => {
    const id = await seedDue();
    const { prisma } = harness.context;
    let removal: Promise<unknown> = Promise.resolve();
    await prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT FROM recording_jobs WHERE call_id = ${id}::uuid FOR UPDATE`;
      removal = prisma.$transaction((other) => lockCalls(other, sql`SELECT ${id} AS id`));
      await eventually(async () => {
        const [row] = await harness.sql.$queryRaw<Json[]>`
          SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        expect(row.count).toBe(1);
      });
      await tx.$executeRaw`UPDATE calls SET updated_at = now() WHERE id = ${id}::uuid`;
    });
    expect(await removal).toMatchObject([{ id, idle: true }]);
    await harness.sql.$executeRaw`DELETE FROM recording_jobs WHERE call_id = ${id}::uuid`;
  });
});

type Queue = ReturnType<typeof createRecordingQueue>;

describe('a link to a recording', () => {
  const open = async (key: string) => {
    const { pathname, search } = new URL(harness.context.recordingLinks.signForEvent(key));
    const answer = await fetch(`${harness.url}${pathname}${search}`);
    return { status: answer.status, text: await answer.text() };
  };
  const write = async (id: string, key: string, text: string) => {
    const path = join(harness.env.RECORDINGS_DIR ?? '', id.slice(0, 5), id.slice(-2), key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };

  it('opens the recording that the call has now', async () => {
    const id = randomUUID();
    await seedCall(harness.sql, newWorkspace(), { id, recording_key: `${id}.3.wav` });
    await write(id, `${id}.wav`, 'former');
    await write(id, `${id}.3.wav`, 'current');
    for (const key of [`${id}.wav`, `${id}.2.wav`, `${id}.3.wav`])
      expect(await open(key)).toEqual({ status: 200, text: 'current' });
  });

  it('opens no file that is not, or not yet, the recording', async () => {
    const id = await seedDue();
    await write(id, `${id}.wav`, 'what was said');
    expect((await open(`${id}.wav`)).status).toBe(503);
    await harness.sql.$executeRaw`UPDATE calls SET recording_key = ${`${id}.6.wav`} WHERE id = ${id}::uuid`;
    expect((await open(`${id}.6.wav`)).status).toBe(503);
    await harness.sql.$executeRaw`DELETE FROM recording_jobs WHERE call_id = ${id}::uuid`;
    await harness.sql.$executeRaw`UPDATE calls SET recording_key = NULL WHERE id = ${id}::uuid`;
    expect((await open(`${id}.wav`)).status).toBe(404);
  });
});
