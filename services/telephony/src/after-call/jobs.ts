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
import type { FindHearing } from '../speech/find-speech.ts';
import { type AnalyseDeps, type AnalysisJob, analyseDue, claimAnalyses } from './analysis/analyse-due.ts';
import { createAnalysisQueue } from './analysis/analysis-queue.store.ts';
import type { FindAnalyser } from './analysis/ports.ts';
import { countByWorkspace, type FairClaim } from './fair-claim.ts';
import type { LiveRecordings } from './recordings/live/live-recordings.ts';
import type { Recorder, RecordingStore } from './recordings/ports.ts';
import { type RecordDeps, recordCall } from './recordings/record-due.ts';
import type { RecordingLinks } from './recordings/recording-links.ts';
import { createRecordingQueue, type DueRecording } from './recordings/recording-queue.store.ts';
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
  archive: SnapshotArchive;
  findAnalyser: FindAnalyser;
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
/** Calls that end within this time are claimed and analysed together. */
const WAKE_DELAY_MS = 250;
const SWEEP_EVERY_MS = 3_600_000;
const TEND_EVERY_MS = 10_000;
const RECORDINGS_AT_ONCE = 4;
const RECORDINGS_OF_A_WORKSPACE = 3;
/** High, since an analysis mostly waits for a model. */
const ANALYSES_AT_ONCE = 48;
const ANALYSES_OF_A_WORKSPACE = 32;
const TRANSCRIPTIONS_AT_ONCE = 3;
const TRANSCRIPTIONS_OF_A_WORKSPACE = 2;

/** Creates the recordings of ended calls, then analyses them [calls.13]. Call `wake` when a call has ended. */
export function startAfterCallJobs(deps: AfterCallDeps): { wake(): void } {
  const { sql, outbox, workerId, archive, findAnalyser, recorder, recordings, clock, log, lifecycle } = deps;
  const loop = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<boolean>) =>
    createJobLoop({ name, everyMs, run, log, lifecycle });

  const claimOf = (limit: number, share: number, running: readonly { call: Call }[]): FairClaim => ({
    now: clock.now(),
    limit,
    share,
    running: countByWorkspace(running.map(({ call }) => call.workspaceId)),
  });

  const analysing: AnalyseDeps = {
    queue: createAnalysisQueue({
      sql,
      outbox,
      clock,
      workerId,
      signRecording: deps.recordingLinks.signForEvent,
    }),
    archive,
    findAnalyser,
    clock,
    log,
  };
  const analyses = createJobPool<AnalysisJob>({
    concurrency: ANALYSES_AT_ONCE,
    claim: (limit, running) => {
      const calls = running.map(({ due }) => due);
      return claimAnalyses(analysing, claimOf(limit, ANALYSES_OF_A_WORKSPACE, calls));
    },
    work: (job, signal) => analyseDue(analysing, job, signal),
    onSlotFree: () => analysis.wake(),
  });
  lifecycle.onStop('analyses', analyses.drained);
  const analysis = loop('analysis', EVERY_MS, analyses.fill);

  const recordingDeps: RecordDeps = {
    queue: createRecordingQueue({ sql, workerId }),
    archive,
    readRecords: (callIds) => readRecords(sql, callIds),
    recorder,
    hasAudio: deps.hasAudio,
    live: deps.live,
    store: recordings,
    share: deps.share,
    onOmitted: deps.onOmitted,
    clock,
    log,
  };
  const making = createJobPool<DueRecording>({
    concurrency: RECORDINGS_AT_ONCE,
    claim: (limit, running) => recordingDeps.queue.claim(claimOf(limit, RECORDINGS_OF_A_WORKSPACE, running)),
    work: async (due, signal) => {
      await recordCall(recordingDeps, due, signal);
      analysis.wake();
    },
    onSlotFree: () => recording.wake(),
  });
  lifecycle.onStop('recordings', making.drained);
  const recording = loop('recordings', EVERY_MS, making.fill);
  const transcribing = {
    queue: createTranscriptionQueue({ sql, workerId }),
    archive,
    recordings,
    findHearing: deps.findHearing,
    fixes: createTranscriptFixes({ sql, outbox, signRecording: deps.recordingLinks.signForEvent }),
    clock,
    log,
  };
  const transcriptions = createJobPool<DueTranscription>({
    concurrency: TRANSCRIPTIONS_AT_ONCE,
    claim: (limit, running) =>
      transcribing.queue.claim(claimOf(limit, TRANSCRIPTIONS_OF_A_WORKSPACE, running)),
    work: (due, signal) => transcribeDue(transcribing, due, signal),
    onSlotFree: () => transcription.wake(),
  });
  lifecycle.onStop('transcriptions', transcriptions.drained);
  const transcription = loop('transcriptions', EVERY_MS, transcriptions.fill);

  const transact: Transact = (work) => outbox.transaction(work);
  const removing = {
    transact,
    store: recordings,
    clock,
    log,
    keepDays: deps.keepDays,
  };
  loop('recordings of live calls', TEND_EVERY_MS, async () => {
    await deps.live.maintain();
    return false;
  });
  loop('old recordings', SWEEP_EVERY_MS, () => removeOldRecordings(removing));
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
