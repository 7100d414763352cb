import type { Metrics } from '@parley/kit/observability';
import { monotonicMs } from '@parley/kit/time';
import { createSipMetrics, type SipMetrics } from './carriers/sip/sip-metrics.ts';
import type { TurnLatency } from './sessions/ports.ts';

/** The metrics of a call worker. Durations are real milliseconds. */
export type WorkerMetrics = {
  /** A request waited this long for its slot. */
  waited(ms: number): void;
  /** A dial leaves for the carrier this long after its slot, or is too late and takes another one. */
  departed(lateMs: number, leaves: boolean): void;
  /** The end of a call is committed. */
  ended(reason: string): void;
  /** A call was ended because its workers crashed on it. */
  poisoned(): void;
  /** A call has no recording because its workspace has used up its share. */
  omitted(): void;
  /** Audio of this length is missing in a recording. */
  unrecorded(ms: number): void;
  /** An answer by voice could be heard. */
  answered(latency: TurnLatency, providers: Readonly<Record<'stt' | 'model' | 'tts', string>>): void;
  /** A provider of speech is down, or works again, as `voice` or as `transcriber`. */
  speechCircuit(use: string, provider: string, isOpen: boolean): void;
  /** SIP messages of calls that could not be stored. */
  untraced(count: number): void;
  sip: SipMetrics;
  /** How many calls it carries, and may carry. */
  holds(count: () => number, max: number): void;
};

const WAITS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
const LATENCIES = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
const LATENESS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const waits = metrics.histogram(
    'parley_dial_wait_seconds',
    'Time from a dial request to its slot, due to pace, concurrency and load',
    [],
    WAITS,
  );
  const lateness = metrics.histogram(
    'parley_dial_lateness_seconds',
    'Delay of a dial after its slot',
    [],
    LATENESS,
  );
  const dialed = metrics.counter('parley_dials_total', 'Dials sent to the carrier');
  const missed = metrics.counter('parley_dials_missed_total', 'Dials that were too late for their slot');
  const ended = metrics.counter('parley_calls_ended_total', 'Calls ended by this worker, by reason', [
    'reason',
  ]);
  const poisoned = metrics.counter(
    'parley_poison_calls_total',
    'Calls ended because their workers died at the same step',
  );
  const omitted = metrics.counter(
    'parley_recordings_omitted_total',
    'Calls without a recording because their workspace had used up RECORDINGS_MB_PER_WORKSPACE',
  );
  const unrecorded = metrics.counter(
    'parley_recording_lost_seconds_total',
    'Audio of calls that is missing in their recordings, because the recorders were opened late or not at all',
  );
  const latencies = metrics.histogram(
    'parley_turn_latency_seconds',
    "Time of an answer by voice by stage: from the end of the human's speech to the end of the turn, then to the first token, then to the first audio",
    ['stage', 'provider'],
    LATENCIES,
  );
  const speechCircuits = metrics.gauge(
    'parley_speech_circuit_open',
    'Whether calls use another provider of speech because this one is down',
    ['provider', 'use'],
  );
  const untraced = metrics.counter(
    'parley_sip_messages_dropped_total',
    'SIP messages of calls that could not be stored',
  );
  return {
    omitted: () => omitted.inc(),
    unrecorded: (ms) => unrecorded.inc(ms / 1_000),
    speechCircuit: (use, provider, isOpen) => speechCircuits.set({ provider, use }, Number(isOpen)),
    untraced: (count) => untraced.inc(count),
    sip: createSipMetrics(metrics, monotonicMs),
    answered: ({ endOfTurnMs, firstTokenMs, firstAudioMs }, { stt, model, tts }) => {
      const stage = (name: string, provider: string, ms: number): void =>
        latencies.observe({ stage: name, provider }, ms / 1_000);
      stage('end_of_turn', stt, endOfTurnMs);
      stage('first_token', model, firstTokenMs - endOfTurnMs);
      stage('first_audio', tts, firstAudioMs - firstTokenMs);
    },
    waited: (ms) => waits.observe(ms / 1_000),
    departed: (lateMs, leaves) => {
      if (!leaves) {
        missed.inc();
        return;
      }
      dialed.inc();
      lateness.observe(lateMs / 1_000);
    },
    ended: (reason) => ended.inc({ reason }),
    poisoned: () => poisoned.inc(),
    holds: (count, max) => {
      metrics.gauge('parley_worker_calls', 'Calls held by this worker', [], (gauge) => gauge.set(count()));
      metrics.gauge('parley_worker_free_calls', 'Further calls that this worker may carry', [], (gauge) =>
        gauge.set(Math.max(0, max - count())),
      );
    },
  };
}
