import type { SpeechToText, TextToSpeech } from '@parley/speech';
import type { FindSpeech } from '../src/speech/find-speech.ts';

const RATE = 8_000;
const MS_A_CHARACTER = 50;

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

/** Recognizes the next of these lines for each utterance. */
function doubleEars(lines: readonly string[], onWords: (line: string) => void): SpeechToText {
  let next = 0;
  return {
    name: 'double-ears',
    sampleRate: RATE,
    open: ({ onResult }) => {
      let pushed = 0;
      let flushed = 0;
      const nowMs = (): number => (pushed * 1_000) / RATE;
      return {
        push: (samples) => {
          pushed += samples.length;
        },
        flush: async () => {
          const text = lines[next] ?? '';
          next += 1;
          if (text !== '')
            onResult({ text, isFinal: true, confidence: 0.9, startMs: flushed, endMs: nowMs() });
          onWords(text);
          flushed = nowMs();
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
