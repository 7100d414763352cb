import { tone } from '@parley/media/testing';
import type { SpeechError, TextToSpeech } from '../../src/index.ts';

export const MS_PER_CHARACTER = 60;
const CHUNK_MS = 100;

/** Stands for a synthesizer: each character is 60 ms of a tone, at once. */
export type TextToSpeechDouble = TextToSpeech & {
  /** What was asked for so far. */
  readonly spoken: readonly string[];
  readonly voices: readonly (string | undefined)[];
  /** What happens to the next requests, after this many chunks of audio, before they work again. */
  willFail(...failures: (SpeechError | 'hang')[]): void;
  chunksBeforeFailure: number;
  /** Reports a word for each chunk of audio. */
  hasWords: boolean;
};

export function createTextToSpeechDouble(name = 'double', sampleRate = 16_000, hz = 440): TextToSpeechDouble {
  const failures: (SpeechError | 'hang')[] = [];
  const spoken: string[] = [];
  const voices: (string | undefined)[] = [];
  const double: TextToSpeechDouble = {
    name,
    sampleRate,
    spoken,
    voices,
    chunksBeforeFailure: 0,
    hasWords: false,
    willFail: (...more) => void failures.push(...more),
    async *speak(parts, { signal, voiceId, onWord }) {
      let text = '';
      for await (const part of parts) text += part;
      spoken.push(text);
      voices.push(voiceId);
      const failure = failures.shift();
      let chunks = 0;
      for (let leftMs = text.length * MS_PER_CHARACTER; leftMs > 0; leftMs -= CHUNK_MS) {
        if (failure && chunks === double.chunksBeforeFailure) await fail(failure, signal);
        const word = text.split(' ')[chunks];
        const startMs = chunks * CHUNK_MS;
        if (double.hasWords && word) onWord?.({ text: word, startMs, endMs: startMs + CHUNK_MS });
        yield tone(hz, Math.min(CHUNK_MS, leftMs), sampleRate);
        chunks += 1;
      }
    },
  };
  return double;
}

function fail(failure: SpeechError | 'hang', signal: AbortSignal): Promise<never> {
  if (failure !== 'hang') return Promise.reject(failure);
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
