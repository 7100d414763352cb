import { msOf } from '@parley/media';
import { audibleMs } from '@parley/media/testing';
import type { SpeechError, SpeechToText } from '../../src/index.ts';

/** Stands for a recognizer: what it recognizes is decided by the test, when by the audio that it gets. */
export type SpeechToTextDouble = SpeechToText & {
  /** Words of the next stretches of speech, one each; '' is a sound without words. */
  willHear(...texts: string[]): void;
  /** Gives interim words after this much speech; undefined: none. */
  interimAfterMs: number | undefined;
  /** Gives these interim words now. */
  gives(text: string): void;
  /** What happens at the next flushes, before they work again. */
  willFail(...failures: (SpeechError | 'hang')[]): void;
  readonly opened: number;
};

export function createSpeechToTextDouble(name = 'double', sampleRate = 16_000): SpeechToTextDouble {
  const texts: string[] = [];
  const failures: (SpeechError | 'hang')[] = [];
  let opened = 0;
  const double: SpeechToTextDouble = {
    name,
    sampleRate,
    interimAfterMs: undefined,
    gives: () => undefined,
    willHear: (...more) => void texts.push(...more),
    willFail: (...more) => void failures.push(...more),
    get opened() {
      return opened;
    },
    open({ onResult, onError }) {
      opened += 1;
      let pushedMs = 0;
      let startMs: number | undefined;
      let endMs = 0;
      let speechMs = 0;
      let hasInterim = false;
      double.gives = (text) =>
        onResult({ text, isFinal: false, confidence: null, startMs: startMs ?? 0, endMs });
      return {
        push(samples) {
          const loudMs = audibleMs(samples, sampleRate);
          if (loudMs > 0) startMs ??= pushedMs;
          pushedMs += msOf(samples.length, sampleRate);
          if (loudMs > 0) endMs = pushedMs;
          speechMs += loudMs;
          const text = texts[0];
          if (hasInterim || !text || speechMs < (double.interimAfterMs ?? Infinity)) return;
          hasInterim = true;
          onResult({ text, isFinal: false, confidence: null, startMs: startMs ?? 0, endMs });
        },
        async flush() {
          const failure = failures.shift();
          if (failure === 'hang') return new Promise(() => undefined);
          if (failure) return onError(failure);
          const text = speechMs > 0 ? (texts.shift() ?? '') : '';
          if (text !== '') onResult({ text, isFinal: true, confidence: 0.9, startMs: startMs ?? 0, endMs });
          startMs = undefined;
          speechMs = 0;
          hasInterim = false;
        },
        close: () => undefined,
      };
    },
  };
  return double;
}
