import { coalesce, createJobLoop, createJobPool } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { Outbox } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import type { SnapshotArchive } from '../assistants/snapshot-ports.ts';
import { createTranscriptFixes } from '../calls/transcripts/transcript-fixes.store.ts';
import type { Transact } from '../clients/ports.ts';
import type { PrismaClient, Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import { readRecords } from '../sessions/call-records.store.ts';
import type { Lease } from '../sessions/lease.ts';
import type { FindHearing } from '../speech/find-speech.ts';
import { createAnalysisQueue } from './analysis/analysis-queue.store.ts';
import { type AnalysisJob, type AnalyzeDeps, analyzeDue, claimAnalyses } from './analysis/analyze-due.ts';
import type { FindAnalyzer } from './analysis/ports.ts';
import type { FairClaim } from './fair-claim.ts';
import { removeErasedFiles } from './recordings/erased-recordings.store.ts';
import type { LiveRecordings } from './recordings/live/live-recordings.ts';
import { MAX_STORE_REQUESTS, type Recorder, type RecordingStore } from './recordings/ports.ts';
import { type ClaimedRecording, type RecordDeps, recordCall } from './recordings/record-due.ts';
import type { RecordingLinks } from './recordings/recording-links.ts';
import { createRecordingQueue } from './recordings/recording-queue.store.ts';
import { removeOldRecordings } from './recordings/remove-old.ts';
import { transcribeDue } from './transcriptions/transcribe-due.ts';
import {
  createTranscriptionQueue,
  type DueTranscription,
} from './transcriptions/transcription-queue.store.ts';

export type AfterCallDeps = {
  sql: PrismaClient;
  outbox: Outbox<Tx>;
  workerId: string;
  watchLease: Lease['watch'];
  archive: SnapshotArchive;
  findAnalyzer: FindAnalyzer;
  recorder: Recorder;
  hasAudio: RecordDeps['hasAudio'];
  live: LiveRecordings;
  recordings: RecordingStore;
  share: RecordDeps['share'];
  onOmitted: RecordDeps['onOmitted'];
  recordingLinks: RecordingLinks;
  findHearing: FindHearing;
  /** 0: recordings are kept forever. */
  keepDays: number;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

/** For retries and the calls of other workers; an end here wakes the jobs. A requested transcription waits for it. */
const EVERY_MS = 500;
/** Calls that end within this time are claimed and analyzed together. */
const WAKE_DELAY_MS = 250;
const SWEEP_EVERY_MS = 3_600_000;
const MAINTAIN_EVERY_MS = 10_000;
/** Concurrent jobs of this process, and the part of them that one workspace may have. */
type Limits = { concurrency: number; share: number };
const RECORDINGS: Limits = { concurrency: 4, share: 3 };
/** High, since an analysis mostly waits for a model. */
const ANALYSES: Limits = { concurrency: 48, share: 32 };
const TRANSCRIPTIONS: Limits = { concurrency: 3, share: 2 };

/** Creates the recordings of ended calls, then analyzes them [calls.13]. Call `wake` when a call has ended. */
export function startAfterCallJobs(deps: AfterCallDeps): { wake(): void } {
  const { sql, outbox, workerId, archive, findAnalyzer, recorder, recordings, clock, log, lifecycle } = deps;
  const loop = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<boolean>) =>
    createJobLoop({ name, everyMs, run, log, lifecycle });

  const startPool = <Job>(
    name: string,
    { concurrency, share }: Limits,
    options: {
      callOf: (job: Job) => Call;
      claim: (claim: FairClaim) => Promise<Job[]>;
      work: (job: Job, signal: AbortSignal) => Promise<void>;
    },
  ): { wake(): void } => {
    const { callOf, claim, work } = options;
    const pool = createJobPool<Job>({
      concurrency,
      claim: (limit, jobs) => claim({ now: clock.now(), limit, share, running: jobs.map(callOf) }),
      work,
      onSlotFree: () => filling.wake(),
    });
    lifecycle.onStop(name, pool.drained);
    const filling = loop(name, EVERY_MS, pool.fill);
    return filling;
  };

  const analyzing: AnalyzeDeps = {
    queue: createAnalysisQueue({
      sql,
      outbox,
      clock,
      workerId,
      signRecording: deps.recordingLinks.signForEvent,
    }),
    archive,
    findAnalyzer,
    clock,
    log,
  };
  const analysis = startPool<AnalysisJob>('analysis', ANALYSES, {
    callOf: ({ due }) => due.call,
    claim: (claim) => claimAnalyses(analyzing, claim),
    work: (job, signal) => analyzeDue(analyzing, job, signal),
  });

  const recordingDeps: RecordDeps = {
    queue: createRecordingQueue({ sql, workerId }),
    archive,
    readRecords: (callIds) => readRecords(sql, callIds),
    recorder,
    hasAudio: deps.hasAudio,
    live: deps.live,
    store: recordings,
    share: deps.share,
    watchLease: deps.watchLease,
    onOmitted: deps.onOmitted,
    clock,
    log,
  };
  const recording = startPool<ClaimedRecording>('recordings', RECORDINGS, {
    callOf: ({ call }) => call,
    claim: async (claim) => {
      const isHeld = deps.watchLease();
      return (await recordingDeps.queue.claim(claim)).map((due) => ({ ...due, isHeld }));
    },
    work: async (due, signal) => {
      await recordCall(recordingDeps, due, signal);
      analysis.wake();
    },
  });
  const transcribing = {
    queue: createTranscriptionQueue({ sql, workerId }),
    archive,
    recordings,
    findHearing: deps.findHearing,
    fixes: createTranscriptFixes({ sql, outbox, signRecording: deps.recordingLinks.signForEvent }),
    clock,
    log,
  };
  startPool<DueTranscription>('transcriptions', TRANSCRIPTIONS, {
    callOf: ({ call }) => call,
    claim: transcribing.queue.claim,
    work: (due, signal) => transcribeDue(transcribing, due, signal),
  });

  const transact: Transact = (work) => outbox.transaction(work);
  const removing = { transact, store: recordings, clock, log, keepDays: deps.keepDays };
  loop('recordings of live calls', MAINTAIN_EVERY_MS, async () => {
    await deps.live.maintain();
    return false;
  });
  loop('old recordings', SWEEP_EVERY_MS, () => removeOldRecordings(removing));
  // An erasure removes them itself, unless its last step was done by a process of the version before.
  // Only as many at once as there are concurrent requests, so that its transaction ends in time with a slow store.
  const anyErased = { workspaceId: null, maxCalls: MAX_STORE_REQUESTS };
  loop('erased recordings', SWEEP_EVERY_MS, () =>
    transact((tx) => removeErasedFiles(tx, recordings, anyErased)),
  );
  loop('unfinished recordings', SWEEP_EVERY_MS, async () => {
    await recordings.sweep();
    await deps.live.sweep();
    return false;
  });

  return {
    wake: coalesce(WAKE_DELAY_MS, () => {
      recording.wake();
      analysis.wake();
    }),
  };
}
