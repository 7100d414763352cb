import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAnalysisQueue } from '../src/after-call/analysis/analysis-queue.store.ts';
import { createRecordingQueue } from '../src/after-call/recordings/recording-queue.store.ts';
import { createTranscriptionQueue } from '../src/after-call/transcriptions/transcription-queue.store.ts';
import { type Harness, startHarness } from './harness.ts';
import { seedCall } from './seed-call.ts';

/** Queues without a worker; each test has its own workspaces. */
describe('[calls.27] workspaces take turns with what is done after calls', () => {
  let harness: Harness;
  const workerId = randomUUID();
  beforeAll(async () => {
    harness = await startHarness({ PROCESSES: 'api' });
    await harness.sql
      .$executeRaw`INSERT INTO call_workers (id, expires_at) VALUES (${workerId}::uuid, now() + interval '1 hour')`;
  });
  afterAll(() => harness.close());

  const queues = {
    analyses: {
      open: (by: string) => {
        const { prisma: sql, outbox, clock } = harness.context;
        return createAnalysisQueue({ sql, outbox, clock, workerId: by, signRecording: (key) => key });
      },
      add: (workspaceId: string, dueAt: Date) =>
        seedCall(harness.sql, workspaceId, { analysis_due_at: dueAt }),
    },
    recordings: {
      open: (by: string) => createRecordingQueue({ sql: harness.context.prisma, workerId: by }),
      add: async (workspaceId: string, dueAt: Date) => {
        const { id } = await seedCall(harness.sql, workspaceId);
        await harness.sql.$executeRaw`INSERT INTO recording_jobs (call_id, workspace, due_at)
          VALUES (${id}::uuid, ${workspaceId}::uuid, ${dueAt}::timestamptz)`;
      },
    },
    transcriptions: {
      open: (by: string) => createTranscriptionQueue({ sql: harness.context.prisma, workerId: by }),
      add: async (workspaceId: string, dueAt: Date) => {
        const { id } = await seedCall(harness.sql, workspaceId);
        await harness.sql
          .$executeRaw`INSERT INTO transcription_jobs (call_id, workspace_id, requested_at, due_at)
            VALUES (${id}::uuid, ${workspaceId}::uuid, ${dueAt}::timestamptz, ${dueAt}::timestamptz)`;
      },
    },
  };

  describe.each(['analyses', 'recordings', 'transcriptions'] as const)('%s', (name) => {
    const { open, add } = queues[name];
    const now = new Date();
    const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
    const claim = async (limit: number, running: [string, number][], share = limit) => {
      const jobs = running.flatMap(([workspaceId, count]) =>
        Array.from({ length: count }, () => ({ id: randomUUID(), workspaceId })),
      );
      const claimed = await open(workerId).claim({ now, limit, share, running: jobs });
      return claimed.map(({ call }) => call.workspaceId);
    };
    const empty = () => claim(100, []);

    it('the next one of a workspace is not behind the backlog of another', async () => {
      const [busy, other] = [randomUUID(), randomUUID()];
      for (let i = 0; i < 5; i += 1) await add(busy, ago(100 - i));
      await add(other, ago(1));
      expect((await claim(3, [])).sort()).toEqual([busy, busy, other].sort());
      expect(await empty()).toEqual([busy, busy, busy]);
    });

    it('a workspace with running ones comes after one without', async () => {
      const [busy, other] = [randomUUID(), randomUUID()];
      await add(busy, ago(100));
      await add(other, ago(1));
      expect(await claim(1, [[busy, 1]])).toEqual([other]);
      expect(await empty()).toEqual([busy]);
    });

    it('a workspace never has all places', async () => {
      const busy = randomUUID();
      for (let i = 0; i < 3; i += 1) await add(busy, ago(10));
      expect(await claim(3, [], 2)).toHaveLength(2);
      expect(await claim(1, [[busy, 2]], 2)).toEqual([]);
      expect(await empty()).toEqual([busy]);
    });

    it('what runs is not claimed again by the same worker when its lease has expired, but by another one', async () => {
      await add(randomUUID(), ago(1));
      const claimBy = async (by: string, running: { id: string; workspaceId: string }[]) => {
        const claimed = await open(by).claim({ now, limit: 100, share: 100, running });
        return claimed.map(({ call }) => call);
      };
      const dead = randomUUID();
      const running = await claimBy(dead, []);
      expect(running).toHaveLength(1);
      expect(await claimBy(dead, running)).toEqual([]);
      expect(await claimBy(workerId, [])).toMatchObject([{ id: running[0]?.id }]);
    });

    it('what is not due yet, or claimed by a living worker, is left alone', async () => {
      const workspaceId = randomUUID();
      await add(workspaceId, new Date(now.getTime() + 60_000));
      await add(workspaceId, ago(1));
      expect(await empty()).toEqual([workspaceId]);
    });
  });

  describe('[calls.13] analyses whose workers crashed', () => {
    const seed = () => seedCall(harness.sql, randomUUID(), { analysis_due_at: new Date(Date.now() - 1_000) });
    const workerOf = (id: string) => {
      const queue = queues.analyses.open(id);
      return (running: { id: string; workspaceId: string }[] = []) =>
        queue.claim({ now: new Date(), limit: 48, share: 32, running });
    };
    const callsOf = (claimed: Awaited<ReturnType<ReturnType<typeof workerOf>>>) =>
      claimed.map(({ call }) => call);
    const finish = (id: string) =>
      harness.sql
        .$executeRaw`UPDATE calls SET analysis_due_at = NULL, analysis_lease_until = NULL WHERE id = ${id}::uuid`;

    it('are claimed alone, so that one that kills its workers is counted alone', async () => {
      const calls = await Promise.all([seed(), seed(), seed()]);
      const poison = calls[1]?.id;
      expect(await workerOf(randomUUID())()).toHaveLength(3);
      const crashes = new Map<string, number>();
      for (let round = 0; round < 8; round += 1) {
        // A dead worker does not renew its lease, so that the next one claims what it leaves.
        const [job, ...more] = await workerOf(randomUUID())();
        if (!job) break;
        expect(more).toEqual([]);
        crashes.set(job.call.id, job.crashes);
        if (job.call.id !== poison || job.crashes === 5) await finish(job.call.id);
      }
      expect(calls.map(({ id }) => crashes.get(id))).toEqual([1, 5, 1]);
    });

    it('are claimed beside others again after an attempt that ended in order, and their later crashes count from one', async () => {
      await Promise.all([seed(), seed()]);
      expect(await workerOf(randomUUID())()).toHaveLength(2);
      const queue = queues.analyses.open(workerId);
      const claim = () => queue.claim({ now: new Date(), limit: 48, share: 32, running: [] });
      const [past, future] = [new Date(Date.now() - 1_000), new Date(Date.now() + 3_600_000)];
      const suspects = [];
      for (let n = 0; n < 2; n += 1) {
        const [suspect, ...more] = await claim();
        if (!suspect) throw new Error('nothing was claimed');
        expect([suspect.crashes, more]).toEqual([1, []]);
        suspects.push(suspect);
        await queue.postpone(suspect, future, { isHarmless: true });
      }
      for (const suspect of suspects) await queue.postpone(suspect, past, { isHarmless: true });
      const together = await workerOf(randomUUID())();
      expect(together.map(({ crashes }) => crashes)).toEqual([0, 0]);
      const [again, ...more] = await claim();
      expect([again?.crashes, more]).toEqual([1, []]);
      for (const { call } of together) await finish(call.id);
    });

    it('stay suspects after an attempt that was interrupted', async () => {
      await Promise.all([seed(), seed()]);
      const calls = callsOf(await workerOf(randomUUID())());
      const queue = queues.analyses.open(workerId);
      const [suspect] = await queue.claim({ now: new Date(), limit: 48, share: 32, running: [] });
      if (!suspect) throw new Error('nothing was claimed');
      await queue.postpone(suspect, new Date(Date.now() - 60_000), { isHarmless: false });
      const [again, ...more] = await workerOf(workerId)();
      expect([again?.call.id, again?.crashes, more]).toEqual([suspect.call.id, 1, []]);
      for (const { id } of calls) await finish(id);
    });

    it('wait for the running ones, and alternate with others', async () => {
      const suspects = await Promise.all([seed(), seed()]);
      expect(await workerOf(randomUUID())()).toHaveLength(2);
      const claim = workerOf(workerId);
      const [first] = await claim();
      if (!first) throw new Error('nothing was claimed');
      const other = await seed();
      expect(await claim([first.call])).toEqual([]);
      await finish(first.call.id);
      const others = callsOf(await claim());
      expect(others).toMatchObject([{ id: other.id }]);
      const later = await seed();
      expect(await claim(others)).toEqual([]);
      await finish(other.id);
      const second = callsOf(await claim());
      expect([first.call.id, second[0]?.id].sort()).toEqual(suspects.map(({ id }) => id).sort());
      expect(second).toHaveLength(1);
      await finish(second[0]?.id ?? '');
      expect(callsOf(await claim())).toMatchObject([{ id: later.id }]);
      await finish(later.id);
    });
  });
});
