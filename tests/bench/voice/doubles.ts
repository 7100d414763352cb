import { samplesIn } from '@parley/media';
import type { SpeechStream, SpeechToText, TextToSpeech } from '@parley/speech';

// In-process providers that respond immediately, so that only our own latency is measured.

const RATE = 16_000;
/** Durations of letters: unequal, so that the position of a word can't be computed from the length of the text. */
const LETTER_MS = [38, 55, 47, 70, 42];
const PAUSE_MS = 60;

/** Speaks each word as a tone between pauses, so that words can be counted on the wire. */
export function createCountableVoice(): TextToSpeech {
  return {
    name: 'double',
    sampleRate: RATE,
    async *speak(text, { signal }) {
      let n = 0;
      for await (const piece of text) {
        for (const word of piece.split(/\s+/).filter((part) => part !== '')) {
          signal.throwIfAborted();
          n += 1;
          yield beep(word.length * (LETTER_MS[n % LETTER_MS.length] ?? 50));
          yield new Int16Array(samplesIn(PAUSE_MS, RATE));
        }
      }
    },
  };
}

function beep(ms: number): Int16Array {
  return Int16Array.from({ length: samplesIn(ms, RATE) }, (_, n) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * 300 * n) / RATE)),
  );
}

/** Recognizes each utterance as the words that `next` returns: interim results during it, final ones when it is flushed. */
export function createPromptEars(next: () => string): SpeechToText {
  return {
    name: 'double',
    sampleRate: RATE,
    open({ onResult }): SpeechStream {
      let pushed = 0;
      let text = '';
      let startMs = 0;
      let loudMs = 0;
      const result = (isFinal: boolean) =>
        onResult({ text, isFinal, confidence: 0.9, startMs, endMs: (pushed * 1_000) / RATE });
      return {
        push(samples) {
          pushed += samples.length;
          const isLoud = samples.some((sample) => Math.abs(sample) > 1_500);
          if (!isLoud) return;
          if (loudMs === 0) startMs = (pushed * 1_000) / RATE;
          loudMs += (samples.length * 1_000) / RATE;
          // First interim result after a fifth of a second.
          if (loudMs < 200 || text !== '') return;
          text = next();
          if (text !== '') result(false);
        },
        async flush() {
          if (text !== '') result(true);
          text = '';
          loudMs = 0;
        },
        close() {},
      };
    },
  };
}
