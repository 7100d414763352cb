import { readWavHeader } from '@parley/media';
import {
  createRecordedRecognition,
  loadVoiceActivity,
  type RecordedRecognition,
  type SpeechToText,
} from '@parley/speech';
import { loadOnce } from '../../load-once.ts';
import { mediaClock } from '../../speech/media-clock.ts';
import type { Cue, RecordingStore } from '../recordings/ports.ts';

type Options = {
  recordings: Pick<RecordingStore, 'read'>;
  /** `lineRate`: samples per second of the recording. */
  findStt: (lineRate: number) => Promise<SpeechToText>;
  language: string;
  phrases: readonly string[];
  signal: AbortSignal;
};

const HEAD_BYTES = 44;
const DATA_LENGTH_AT = 40;
const FRAME_BYTES = 4;
/** Bytes per read: 16 s of telephone audio. */
const BLOCK_BYTES = 512 * 1024;

const loadVad = loadOnce(() => loadVoiceActivity());

/**
 * Transcribes a recording, each channel separately, in chronological order. Null: the recording doesn't exist. Rejects with
 * SpeechError if the provider fails.
 */
export async function transcribeRecording(key: string, options: Options): Promise<Cue[] | null> {
  const { recordings, findStt, language, phrases, signal } = options;
  const head = await recordings.read(key, 0, HEAD_BYTES);
  if (!head) return null;
  const { sampleRate } = readWavHeader(head);
  const stt = await findStt(sampleRate);
  const given = { stt, vad: await loadVad(), sampleRate, language, phrases, clock: mediaClock };
  const [left, right] = [createRecordedRecognition(given), createRecordedRecognition(given)];
  try {
    const end = HEAD_BYTES + head.readUInt32LE(DATA_LENGTH_AT);
    for (let at = HEAD_BYTES; at < end; at += BLOCK_BYTES) {
      signal.throwIfAborted();
      const block = await recordings.read(key, at, Math.min(BLOCK_BYTES, end - at));
      if (!block) return null;
      await left.push(channelOf(block, 0));
      await right.push(channelOf(block, 2));
    }
    const cues = [...(await cuesOf(left, 'user')), ...(await cuesOf(right, 'agent'))];
    return cues.sort((a, b) => a.atMs - b.atMs);
  } finally {
    left.close();
    right.close();
  }
}

function channelOf(block: Buffer, offset: number): Int16Array {
  const samples = new Int16Array(Math.floor(block.length / FRAME_BYTES));
  for (let n = 0; n < samples.length; n += 1) samples[n] = block.readInt16LE(n * FRAME_BYTES + offset);
  return samples;
}

async function cuesOf(channel: RecordedRecognition, speaker: Cue['speaker']): Promise<Cue[]> {
  return (await channel.finish()).map(({ text, startMs }) => ({ speaker, atMs: Math.round(startMs), text }));
}
