import { coalesce, createLoop } from '@parley/kit/jobs';
import { createFliteVoice } from './carriers/simulator/recording/flite-voice.ts';
import { createSimulatedRecorder } from './carriers/simulator/recording/simulated-recorder.ts';
import { toneVoice } from './carriers/simulator/recording/tone-voice.ts';
import type { Context } from './context.ts';
import { type AnalyseDeps, analyseDue, claimAnalyses } from './domain/analysis/analyse-due.ts';
import type { Analyser } from './domain/analysis/ports.ts';
import type { SnapshotArchive } from './domain/conversation/ports.ts';
import { createJobRounds } from './domain/job-rounds.ts';
import type { Recorder } from './domain/recordings/ports.ts';
import { type RecordDeps, recordCall } from './domain/recordings/record-due.ts';
import { type RemoveOldDeps, removeOldRecordings } from './domain/recordings/remove-old.ts';
import { createFindAnalyser } from './engines/find-analyser.ts';
import { createAnalysisQueue } from './store/analysis-queue.ts';
import { readRecords } from './store/call-records.ts';
import { oldRecordings } from './store/old-recordings.ts';
import { createRecordingQueue } from './store/recording-queue.ts';

/** The ports that tests put something else behind. */
export type AfterCallOverrides = { analyser?: Analyser; recorder?: Recorder };

const EVERY_MS = 250;
/** Calls that end within this are claimed together. */
const GATHER_MS = 50;
const SWEEP_EVERY_MS = 3_600_000;
const RECORDINGS_AT_ONCE = 4;
/** Those that a model reads take their time. */
const ANALYSES_AT_ONCE = 32;
/** An analysis may take so many times what somebody on the phone waits for a model; less than its claim. */
const ANALYSIS_TIMEOUTS = 6;
const LONGEST_ANALYSIS_MS = 90_000;

/**
 * What a worker does with calls that are over: makes their recordings, then analyses them (D6.7). `wake`: one has just
 * ended.
 */
export function startAfterCallJobs(
  context: Context,
  { workerId, archive }: { workerId: string; archive: SnapshotArchive },
  { analyser, recorder }: AfterCallOverrides,
): { wake(): void } {
  const { prisma: sql, outbox, clock, log, lifecycle, config, openai, recordings, recordingLinks } = context;
  const loop = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<boolean>) =>
    createLoop({ name, everyMs, run, log, lifecycle });

  const timeoutMs = Math.min(config.OPENAI_TIMEOUT_SECONDS * 1_000 * ANALYSIS_TIMEOUTS, LONGEST_ANALYSIS_MS);
  const analysing: AnalyseDeps = {
    queue: createAnalysisQueue({ sql, outbox, clock, workerId, signRecording: recordingLinks.signForEvent }),
    archive,
    findAnalyser: analyser
      ? () => analyser
      : createFindAnalyser({ openai, timeoutMs, defaultModel: config.OPENAI_MODEL }),
    clock,
    log,
  };
  const analyses = createJobRounds({
    atOnce: ANALYSES_AT_ONCE,
    claim: (most) => claimAnalyses(analysing, most),
    work: (job, signal) => analyseDue(analysing, job, signal),
    wake: () => analysis.wake(),
  });
  lifecycle.onStop('analyses', analyses.drained);
  const analysis = loop('analysis', EVERY_MS, analyses.begin);

  const voice = config.RECORDING_SPEECH === 'tones' ? toneVoice : createFliteVoice(log);
  const maxSeconds = config.RECORDING_MAX_SECONDS;
  const recordingDeps: RecordDeps = {
    queue: createRecordingQueue({ sql, workerId }),
    archive,
    readRecords: (callIds) => readRecords(sql, callIds),
    recorder: recorder ?? createSimulatedRecorder({ voice, maxSeconds }),
    store: recordings,
    clock,
    log,
  };
  const making = createJobRounds({
    atOnce: RECORDINGS_AT_ONCE,
    claim: (most) => recordingDeps.queue.claim(clock.now(), most),
    work: async (due, signal) => {
      await recordCall(recordingDeps, due, signal);
      analysis.wake();
    },
    wake: () => recording.wake(),
  });
  lifecycle.onStop('recordings', making.drained);
  const recording = loop('recordings', EVERY_MS, making.begin);
  const removing = {
    old: oldRecordings,
    store: recordings,
    clock,
    log,
    keepDays: config.RECORDINGS_KEEP_DAYS,
  };
  const transact: RemoveOldDeps['transact'] = (work) => outbox.transaction(work);
  loop('old recordings', SWEEP_EVERY_MS, () => removeOldRecordings({ ...removing, transact }));
  loop('unfinished recordings', SWEEP_EVERY_MS, async () => {
    await recordings.sweep();
    return false;
  });

  return {
    wake: coalesce(GATHER_MS, () => {
      recording.wake();
      analysis.wake();
    }),
  };
}
