import { realSleep } from '@parley/kit/time';
import { levelDb } from '@parley/media';
import type { SpeechToText, TextToSpeech } from '@parley/speech';
import type { FindSpeech } from '../src/speech/find-speech.ts';

const RATE = 8_000;
const MS_A_CHARACTER = 50;
/** Louder than the noise of a line. */
const VOICE_DB = -42;
const BETWEEN_LINES_MS = 1_000;
/** "All right" has a voice for 620 ms; "Hello, who is this?" for 1,140. */
const SHORT_MS = 900;

/** Produces tones that are as long as the speech would be. */
const doubleVoice: TextToSpeech = {
  name: 'double-voice',
  sampleRate: RATE,
  async *speak(text, { signal }) {
    for await (const piece of text) {
      for (const _ of piece) {
        signal.throwIfAborted();
        yield Int16Array.from({ length: (RATE * MS_A_CHARACTER) / 1_000 }, (__, n) =>
          Math.round(8_000 * Math.sin((2 * Math.PI * 330 * n) / RATE)),
        );
      }
    }
  },
};

type Hearing = {
  /** A line was recognized; its turn is not over. */
  onWords?: (line: string) => void;
  /** Recognized for a sound that is shorter than every line. */
  short?: string | undefined;
  /** The words arrive this long after the flush. Real time. */
  lateMs?: number | undefined;
};

/**
 * Recognizes the next of these lines when the human has been quiet and speaks. The words arrive at the first pause; further pauses are
 * within the same line: on a busy machine frames arrive late, which sounds like pauses. With `short`, the length of a sound decides.
 */
function doubleEars(lines: readonly string[], { onWords, short, lateMs = 0 }: Hearing): SpeechToText {
  let next = 0;
  const nextLine = (): string => lines[next++] ?? '';
  return {
    name: 'double-ears',
    sampleRate: RATE,
    open: ({ onResult }) => {
      let quietMs = Number.POSITIVE_INFINITY;
      let voicedMs = 0;
      let hasNewLine = false;
      let nowMs = 0;
      let startMs = 0;
      const words = (): string => {
        if (short === undefined) return hasNewLine ? nextLine() : '';
        if (voicedMs === 0) return '';
        return voicedMs < SHORT_MS ? short : nextLine();
      };
      return {
        push: (samples) => {
          const ms = (samples.length * 1_000) / RATE;
          nowMs += ms;
          if (levelDb(samples) > VOICE_DB) {
            hasNewLine ||= quietMs >= BETWEEN_LINES_MS;
            quietMs = 0;
            voicedMs += ms;
          } else quietMs += ms;
        },
        flush: async () => {
          const text = words();
          const result = { text, isFinal: true, confidence: 0.9, startMs, endMs: nowMs };
          hasNewLine = false;
          voicedMs = 0;
          startMs = nowMs;
          if (lateMs > 0) await realSleep(lateMs);
          if (text !== '') onResult(result);
          onWords?.(text);
        },
        close: () => {},
      };
    },
  };
}

/** Providers for one call in which the human speaks these lines. */
export const speechOf = (lines: readonly string[], hearing: Hearing = {}): FindSpeech => {
  const stt = doubleEars(lines, hearing);
  return async () => ({ stt, tts: doubleVoice });
};
