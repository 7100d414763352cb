import type { Codec } from '../audio/codec.ts';
import { shorten } from '../audio/concealment.ts';
import { FRAME_MS, type FrameSource, msOf, samplesIn } from '../audio/frame.ts';
import { comfortNoise } from '../audio/noise.ts';
import { createSampleQueue } from '../audio/sample-queue.ts';
import { createJitterBuffer, type InsertOutcome, type JitterItem } from './jitter-buffer.ts';

/** Play faster above this surplus of delay, and drop audio above the other. */
const SHORTEN_ABOVE_MS = 30;
const DROP_ABOVE_MS = 300;
/** Enough audio for `shorten` after the frame that is taken. */
const SHORTEN_FROM_MS = 30;
const INAUDIBLE_DB = 127;

type ReceivedAudio = { samples: Int16Array; atMs: number; source: FrameSource };

/** Turns packets of one stream, in any order and rhythm, into a steady sequence of 20 ms frames. */
export type Receiver = {
  insert(
    packet: { sequence: number; timestamp: number; payload: Uint8Array },
    arrivalMs: number,
  ): InsertOutcome;
  /** Level of the far end's silence in dB below full scale, from a comfort noise packet (RFC 3389). */
  setNoise(levelBelowFullScaleDb: number): void;
  /** The next 20 ms, to be called every 20 ms. */
  pull(nowMs: number): ReceivedAudio;
  /** The next packet starts another stream. */
  reset(): void;
  stats(): { bufferMs: number; concealedMs: number; malformed: number };
};

export function createReceiver(codec: Codec, random: () => number): Receiver {
  const buffer = createJitterBuffer(codec.clockRate);
  const queue = createSampleQueue();
  const frameSamples = samplesIn(FRAME_MS, codec.sampleRate);
  const unitsPerSample = codec.clockRate / codec.sampleRate;
  let packetSamples = frameSamples;
  let noiseDb = INAUDIBLE_DB;
  let concealedSamples = 0;
  let malformed = 0;

  const conceal = (samples: number, next?: Uint8Array): FrameSource => {
    queue.push(codec.conceal(samples, next));
    concealedSamples += samples;
    return 'concealed';
  };
  const take = (item: JitterItem, wanted: number): FrameSource => {
    if (item.kind === 'idle') {
      queue.push(comfortNoise(wanted, noiseDb, random));
      return 'silence';
    }
    if (item.kind === 'late') {
      buffer.held(wanted * unitsPerSample);
      return conceal(wanted);
    }
    if (item.kind === 'lost') return conceal(Math.max(1, Math.round(item.units / unitsPerSample)), item.next);
    try {
      const samples = codec.decode(item.payload);
      if (samples.length === 0) throw new RangeError('The packet is empty');
      queue.push(samples);
      packetSamples = samples.length;
      buffer.played(samples.length * unitsPerSample);
      return 'audio';
    } catch {
      malformed += 1;
      buffer.played(frameSamples * unitsPerSample);
      return conceal(frameSamples);
    }
  };
  const fill = (samples: number, nowMs: number): FrameSource => {
    let source: FrameSource = 'audio';
    while (queue.length < samples) source = take(buffer.next(nowMs), samples - queue.length);
    return source;
  };
  /** Reduces a delay that is larger than the jitter requires. */
  const catchUp = (nowMs: number): void => {
    const surplusMs = buffer.surplusMs(nowMs, queue.length * unitsPerSample);
    if (surplusMs < SHORTEN_ABOVE_MS) return;
    const span = samplesIn(FRAME_MS + SHORTEN_FROM_MS, codec.sampleRate);
    const ahead = buffer.stats().packets * packetSamples + queue.length;
    if (ahead < span) return;
    fill(span, nowMs);
    if (surplusMs > DROP_ABOVE_MS) queue.shift(span - frameSamples);
    else queue.push(shorten(queue.shift(queue.length), codec.sampleRate));
  };

  return {
    insert: buffer.insert,
    setNoise(levelBelowFullScaleDb) {
      noiseDb = levelBelowFullScaleDb;
    },
    pull(nowMs) {
      catchUp(nowMs);
      const source = fill(frameSamples, nowMs);
      const atMs = buffer.arrivedAtMs(nowMs, queue.length * unitsPerSample);
      return { samples: queue.shift(frameSamples), atMs, source };
    },
    reset() {
      buffer.reset();
      queue.clear();
      noiseDb = INAUDIBLE_DB;
    },
    stats: () => ({
      bufferMs: msOf(queue.length + buffer.stats().packets * packetSamples, codec.sampleRate),
      concealedMs: msOf(concealedSamples, codec.sampleRate),
      malformed,
    }),
  };
}
