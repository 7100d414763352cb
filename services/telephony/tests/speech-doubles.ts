import { levelDb } from '@parley/media';
import type { SpeechToText, TextToSpeech } from '@parley/speech';
import type { FindSpeech } from '../src/speech/find-speech.ts';

const RATE = 8_000;
const MS_A_CHARACTER = 50;
/** Louder than the noise of a line. */
const VOICE_DB = -42;
const BETWEEN_LINES_MS = 1_000;

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

/**
 * Recognises the next of these lines when the human has been quiet and speaks. The words arrive at the first pause; further pauses are
 * within the same line: on a busy machine frames arrive late, which sounds like pauses.
 */
function doubleEars(lines: readonly string[], onWords: (line: string) => void): SpeechToText {
  let next = 0;
  return {
    name: 'double-ears',
    sampleRate: RATE,
    open: ({ onResult }) => {
      let quietMs = Number.POSITIVE_INFINITY;
      let hasNewLine = false;
      let nowMs = 0;
      let startMs = 0;
      return {
        push: (samples) => {
          const ms = (samples.length * 1_000) / RATE;
          nowMs += ms;
          if (levelDb(samples) > VOICE_DB) {
            hasNewLine ||= quietMs >= BETWEEN_LINES_MS;
            quietMs = 0;
          } else quietMs += ms;
        },
        flush: async () => {
          const text = hasNewLine ? (lines[next] ?? '') : '';
          if (hasNewLine) next += 1;
          hasNewLine = false;
          if (text !== '') onResult({ text, isFinal: true, confidence: 0.9, startMs, endMs: nowMs });
          onWords(text);
          startMs = nowMs;
        },
        close: () => {},
      };
    },
  };
}

/** Providers for one call in which the human speaks these lines. `onWords`: a line was recognised; its turn is not over. */
export const speechOf = (
  lines: readonly string[],
  onWords: (line: string) => void = () => {},
): FindSpeech => {
  const stt = doubleEars(lines, onWords);
  return async () => ({ stt, tts: doubleVoice });
};
