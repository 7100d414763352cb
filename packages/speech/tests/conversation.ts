import {
  type AudioFrame,
  createMemoryPair,
  createTicker,
  type MemoryPair,
  type NetworkConditions,
} from '@parley/media';
import { audibleMs, createManualClock, createRandom, type ManualClock, tone } from '@parley/media/testing';
import {
  createSpokenPort,
  type SpeechToText,
  type SpokenEvent,
  type SpokenPort,
  type TextToSpeech,
  type TurnSettings,
  type VoiceActivityFactory,
} from '../src/index.ts';
import { createSpeechToTextDouble, type SpeechToTextDouble } from './doubles/speech-to-text-double.ts';
import { createTextToSpeechDouble, type TextToSpeechDouble } from './doubles/text-to-speech-double.ts';

const STEP_MS = 20;
const TONE_HZ = 300;

/** Stands for voice activity detection: every sound is a voice. */
const loudnessDouble: VoiceActivityFactory = (sampleRate) => ({
  isVoice: (samples) => audibleMs(samples, sampleRate) > 0,
  close: () => undefined,
});

/** A conversation on a clock that the test moves; the far end of its line is the human. */
export type Conversation = {
  port: SpokenPort;
  clock: ManualClock;
  pair: MemoryPair;
  stt: SpeechToTextDouble;
  tts: TextToSpeechDouble;
  events: SpokenEvent[];
  /** Lets the human make a sound of this length, of which the recognizer understands this text. */
  human(text: string, ms: number): void;
  humanPlays(samples: Int16Array, sampleRate: number): void;
  pass(ms: number): Promise<void>;
  /** Lets time pass until the promise settles; fails after `maxMs`. */
  until<T>(promise: Promise<T>, maxMs?: number): Promise<T>;
  /** Frames that were sent to the human so far. */
  sent: AudioFrame[];
  close(): void;
};

export function converse(
  options: {
    stt?: SpeechToText;
    tts?: TextToSpeech;
    vad?: VoiceActivityFactory;
    turns?: Partial<TurnSettings>;
    conditions?: NetworkConditions;
    clock?: ManualClock;
    phrases?: readonly string[];
    createCodec?: () => ReturnType<NonNullable<Parameters<typeof createMemoryPair>[0]['createCodec']>>;
  } = {},
): Conversation {
  const clock = options.clock ?? createManualClock(1_000_000);
  const ticker = createTicker(clock, (error) => {
    throw error;
  });
  const { conditions, createCodec, turns, phrases } = options;
  const pair = createMemoryPair({
    clock,
    ticker,
    random: createRandom(11),
    ...(conditions && { conditions }),
    ...(createCodec && { createCodec }),
  });
  const stt = createSpeechToTextDouble();
  const tts = createTextToSpeechDouble();
  const events: SpokenEvent[] = [];
  const sent: AudioFrame[] = [];
  pair.near.onSent((frame) => sent.push(frame));
  const port = createSpokenPort({
    media: pair.near,
    stt: options.stt ?? stt,
    tts: options.tts ?? tts,
    vad: options.vad ?? loudnessDouble,
    clock,
    language: 'en-US',
    ...(turns && { turns }),
    ...(phrases && { phrases }),
    onEvent: (event) => events.push(event),
  });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      clock.advance(Math.min(STEP_MS, left));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const humanPlays = (samples: Int16Array, sampleRate: number): void => {
    const playback = pair.far.play();
    playback.write(samples, sampleRate);
    playback.end();
  };
  return {
    port,
    clock,
    pair,
    stt,
    tts,
    events,
    sent,
    human(text, ms) {
      stt.willHear(text);
      humanPlays(tone(TONE_HZ, ms, 8_000), 8_000);
    },
    humanPlays,
    pass,
    async until(promise, maxMs = 60_000) {
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
      };
      promise.then(settle, settle);
      for (let ms = 0; !isSettled; ms += STEP_MS) {
        if (ms > maxMs) throw new Error(`Not settled within ${maxMs} ms`);
        await pass(STEP_MS);
      }
      return promise;
    },
    close() {
      port.close();
      pair.close();
    },
  };
}

/** A signal that never aborts. */
export const never = new AbortController().signal;
