import { concatenate, createResampler, FRAME_MS, type MediaClock, msOf, samplesIn } from '@parley/media';
import { createSpeechActivity } from '../activity/speech-activity.ts';
import type { VoiceActivityFactory } from '../activity/voice-activity.ts';
import type { SpeechError, SpeechStream, SpeechToText } from '../ports.ts';

/** Speech on a recording. Times are milliseconds since its beginning. */
type RecordedSpeech = { text: string; startMs: number; endMs: number };

export type RecordedRecognition = {
  /** The next samples, any number. Resolves when there is room for more. Rejects with SpeechError. */
  push(samples: Int16Array): Promise<void>;
  /** The recording is over: everything that was said, in order. */
  finish(): Promise<RecordedSpeech[]>;
  close(): void;
};

type Options = {
  stt: SpeechToText;
  vad: VoiceActivityFactory;
  sampleRate: number;
  /** BCP 47. */
  language: string;
  phrases?: readonly string[];
  clock: MediaClock;
};

/** Kept before speech starts, so that a soft beginning isn't cut off. */
const LEAD_MS = 300;
/** A pause of this length separates two turns. */
const PAUSE_MS = 800;
/** Longer speech is recognized in parts, best cut at a short pause: providers keep little audio for a second attempt. */
const LONG_MS = 8_000;
const SHORT_PAUSE_MS = 200;
const MAX_MS = 14_000;
/** Audio goes to the provider in pieces of this length, at most `SPEED` times as fast as it was spoken. */
const PIECE_MS = 500;
const SPEED = 20;

/** Recognizes one channel of a recording, one utterance after the other. The times are those of voice activity: providers report none, or differ. */
export function createRecordedRecognition(options: Options): RecordedRecognition {
  const { stt, sampleRate, language, phrases = [], clock } = options;
  const voice = options.vad(sampleRate);
  const activity = createSpeechActivity(voice);
  const frameSamples = samplesIn(FRAME_MS, sampleRate);
  const maxLead = Math.round(LEAD_MS / FRAME_MS);
  const speech: RecordedSpeech[] = [];
  let rest = new Int16Array(0);
  let position = 0;
  let utterance: Int16Array[] = [];
  /** Beginning of the speech in `utterance`; undefined: there is none yet. */
  let openedAtMs: number | undefined;
  let stream: SpeechStream | undefined;
  let failure: SpeechError | undefined;
  let words: string[] = [];

  const openStream = (): SpeechStream =>
    stt.open({
      language,
      phrases,
      onResult: ({ text, isFinal }) => {
        if (isFinal && text.trim() !== '') words.push(text.trim());
      },
      onError: (error) => {
        failure = error;
      },
    });

  const recognize = async (): Promise<void> => {
    const [frames, startMs, endMs] = [utterance, openedAtMs ?? 0, activity.lastVoiceAtMs ?? 0];
    utterance = [];
    openedAtMs = undefined;
    stream ??= openStream();
    words = [];
    const resampler = createResampler(sampleRate, stt.sampleRate);
    for (const [n, samples] of frames.entries()) {
      stream.push(resampler.process(samples));
      if (n % (PIECE_MS / FRAME_MS) === 0) await pause(clock, PIECE_MS / SPEED);
    }
    await stream.flush();
    if (failure) throw failure;
    const text = words.join(' ');
    if (text === '') return;
    const last = speech.at(-1);
    if (last && startMs - last.endMs < PAUSE_MS)
      speech.splice(-1, 1, { ...last, text: `${last.text} ${text}`, endMs });
    else speech.push({ text, startMs, endMs });
  };

  const take = async (samples: Int16Array): Promise<void> => {
    const atMs = msOf(position, sampleRate);
    position += samples.length;
    utterance.push(samples);
    activity.push({ samples, sampleRate, atMs, source: 'audio' });
    if (activity.isSpeaking) openedAtMs ??= activity.startedAtMs;
    if (openedAtMs === undefined) {
      while (utterance.length > maxLead) utterance.shift();
      return;
    }
    const quietMs = atMs + FRAME_MS - (activity.lastVoiceAtMs ?? 0);
    const lengthMs = utterance.length * FRAME_MS;
    const pauseMs = lengthMs >= LONG_MS ? SHORT_PAUSE_MS : PAUSE_MS;
    if (lengthMs >= MAX_MS || (!activity.isSpeaking && quietMs >= pauseMs)) await recognize();
  };

  return {
    push: async (samples) => {
      const all = concatenate([rest, samples]);
      let at = 0;
      for (; at + frameSamples <= all.length; at += frameSamples)
        await take(all.slice(at, at + frameSamples));
      rest = all.slice(at);
    },
    finish: async () => {
      if (openedAtMs !== undefined) await recognize();
      return speech;
    },
    close: () => {
      stream?.close();
      voice.close();
    },
  };
}

function pause(clock: MediaClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.timer(ms, resolve);
  });
}
