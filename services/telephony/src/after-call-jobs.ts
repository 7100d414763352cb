import { createLoop } from '@parley/kit/jobs';
import { createFliteVoice } from './carriers/simulator/recording/flite-voice.ts';
import { createSimulatedRecorder } from './carriers/simulator/recording/simulated-recorder.ts';
import { toneVoice } from './carriers/simulator/recording/tone-voice.ts';
import type { Context } from './context.ts';
import { analyseDue } from './domain/analysis/analyse-due.ts';
import type { Analyser } from './domain/analysis/ports.ts';
import { ruleAnalyser } from './domain/analysis/rule-analyser.ts';
import type { SnapshotArchive } from './domain/conversation/ports.ts';
import type { Recorder } from './domain/recordings/ports.ts';
import { createRecordingRounds } from './domain/recordings/recording-rounds.ts';
import { createAnalysisQueue } from './store/analysis-queue.ts';
import { readRecords } from './store/call-records.ts';
import { createRecordingQueue } from './store/recording-queue.ts';

/** The ports that tests put something else behind. */
export type AfterCallOverrides = { analyser?: Analyser; recorder?: Recorder };

const RECORD_EVERY_MS = 250;
const ANALYSE_EVERY_MS = 250;
const SWEEP_EVERY_MS = 3_600_000;
const RECORDINGS_AT_ONCE = 4;

/**
 * What a worker does with calls that are over: makes their recordings, then analyses them (D6.7). `wake`: one has just
 * ended.
 */
export function startAfterCallJobs(
  { prisma: sql, outbox, clock, log, lifecycle, config, recordings, recordingLinks }: Context,
  { workerId, archive }: { workerId: string; archive: SnapshotArchive },
  overrides: AfterCallOverrides,
): { wake(): void } {
  const analysing = {
    queue: createAnalysisQueue({ sql, outbox, workerId, signRecording: recordingLinks.sign }),
    archive,
    analyser: overrides.analyser ?? ruleAnalyser,
    clock,
    log,
  };
  const analysis = createLoop({
    name: 'analysis',
    everyMs: ANALYSE_EVERY_MS,
    run: (signal) => analyseDue(analysing, signal),
    log,
    lifecycle,
  });

  const voice = config.RECORDING_SPEECH === 'tones' ? toneVoice : createFliteVoice(log);
  const maxSeconds = config.RECORDING_MAX_SECONDS;
  const rounds = createRecordingRounds(
    {
      queue: createRecordingQueue({ sql, workerId }),
      archive,
      readRecords: (callIds) => readRecords(sql, callIds),
      recorder: overrides.recorder ?? createSimulatedRecorder({ voice, maxSeconds }),
      store: recordings,
      clock,
      log,
    },
    {
      atOnce: RECORDINGS_AT_ONCE,
      onDone: () => {
        analysis.wake();
        recording.wake();
      },
    },
  );
  lifecycle.onStop('recordings', () => rounds.drained());
  const recording = createLoop({
    name: 'recordings',
    everyMs: RECORD_EVERY_MS,
    run: async (signal) => {
      await rounds.begin(signal);
      return false;
    },
    log,
    lifecycle,
  });
  createLoop({
    name: 'unfinished recordings',
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      await recordings.sweep();
      return false;
    },
    log,
    lifecycle,
  });

  return {
    wake: () => {
      recording.wake();
      analysis.wake();
    },
  };
}
