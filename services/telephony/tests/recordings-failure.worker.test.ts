import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Recorder } from '../src/after-call/recordings/ports.ts';
import { createSnapshotArchive } from '../src/assistants/snapshot-archive.store.ts';
import { startWorker } from '../src/start-worker.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, FAST, finished, readCall } from './place-call.ts';
import { seedCall } from './seed-call.ts';
import { workerProcess } from './worker-process.ts';

/** Just long enough to kill a worker in the middle of the recording; the other worker makes all of it. */
const SECONDS = 600;

/** A call that has just ended and has no recording yet. */
async function longCall(harness: Harness, attempts = 0): Promise<{ id: string; workspaceId: string }> {
  const workspaceId = newWorkspace();
  const endedAt = harness.context.clock.now();
  const answeredAt = new Date(endedAt.getTime() - SECONDS * 1_000);
  const snapshot = harness.peers.addAgent(workspaceId);
  const { prisma, secrets, clock } = harness.context;
  await createSnapshotArchive({ prisma, secrets, clock }).keep(snapshot);
  const { id } = await seedCall(harness.sql, workspaceId, {
    agent_id: snapshot.agent_id,
    agent_version: snapshot.version,
    created_at: answeredAt,
    started_at: answeredAt,
    answered_at: answeredAt,
    ended_at: endedAt,
    duration: SECONDS,
  });
  await harness.sql.$executeRaw`INSERT INTO turns (call_id, seq, role, content, at)
     SELECT ${id}::uuid, n, CASE n % 2 WHEN 0 THEN 'agent' ELSE 'user' END, 'I am still here, and I go on talking', ${answeredAt}::timestamptz + n * interval '3 seconds'
     FROM generate_series(0, ${SECONDS / 3 - 1}::int) n`;
  await harness.sql
    .$executeRaw`INSERT INTO recording_jobs (call_id, due_at, attempts) VALUES (${id}::uuid, ${endedAt}::timestamptz, ${attempts}::int)`;
  return { id, workspaceId };
}

describe('a recording during failures', () => {
  describe('of the worker that creates it', () => {
    let harness: Harness;
    beforeAll(async () => {
      harness = await startHarness();
    });
    afterAll(() => harness.close());

    it('is created completely by another worker after a kill -9', async () => {
      const drafts = join(harness.env.RECORDINGS_DIR ?? '', 'unfinished');
      const first = await workerProcess(harness);
      const { id, workspaceId } = await longCall(harness);
      await eventually(async () => expect(await readdir(drafts).catch(() => [])).toHaveLength(1));
      await first.kill('SIGKILL');
      expect(await readCall(harness, workspaceId, id)).toMatchObject({ recording_url: null });
      const second = await harness.boot({ PROCESSES: 'worker' });
      await eventually(async () => expect(analyzed(harness, id)).toHaveLength(1), { timeoutMs: 90_000 });
      const { recording_url } = await readCall(harness, workspaceId, id);
      const { pathname, search } = new URL(recording_url);
      const head = await fetch(`${harness.url}${pathname}${search}`, { method: 'HEAD' });
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(SECONDS * 32_000);
      const [job] = await harness.sql.$queryRaw<
        unknown[]
      >`SELECT * FROM recording_jobs WHERE call_id = ${id}::uuid`;
      expect(job).toBeUndefined();
      await second.stop();
    });
  });

  describe('of its creation', () => {
    let harness: Harness;
    let failures = 0;
    let holds: Promise<void> | undefined;
    const recorder: Recorder = {
      record: () => ({
        seconds: 1,
        length: 4,
        bytes: (async function* () {
          await holds;
          failures += 1;
          yield Buffer.from('RIFF');
          throw new Error('the voice broke');
        })(),
      }),
    };
    beforeAll(async () => {
      harness = await startHarness({ ...FAST, PROCESSES: 'api' });
      await startWorker(harness.context, harness.context.lifecycle, { recorder });
    });
    afterAll(() => harness.close());

    it('is tried five times, then the call is analyzed without it', async () => {
      const number = await connectNumber(harness);
      const id = await callFrom(harness, number, anyNumber('4242'));
      const call = await finished(harness, number.workspaceId, id);
      expect(failures).toBe(5);
      expect(call).toMatchObject({ recording_url: null, recording_sid: null, summary: expect.any(String) });
    });

    it('is given up when five workers have crashed on it: call.analyzed is published without it', async () => {
      const before = failures;
      const { id, workspaceId } = await longCall(harness, 5);
      const call = await finished(harness, workspaceId, id);
      expect(call).toMatchObject({ recording_url: null, summary: expect.any(String) });
      expect(failures).toBe(before);
    });

    it('never delays call.ended', async () => {
      let release = (): void => {};
      holds = new Promise((resolve) => {
        release = resolve;
      });
      const number = await connectNumber(harness);
      const id = await callFrom(harness, number, anyNumber('0008'));
      await eventually(() =>
        expect(harness.bus.received('call.ended').map(({ data }) => data.call_id)).toContain(id),
      );
      expect(analyzed(harness, id)).toEqual([]);
      release();
      await finished(harness, number.workspaceId, id);
    });
  });
});
