import type { SpeechStream, SpeechToText } from '../ports.ts';
import { failureOf, timedOut } from './failures.ts';
import { DEFAULT_LIMITS, type Limits, wordsTimeoutMs } from './limits.ts';
import { bytesOf } from './pcm.ts';
import { retryOnce } from './retry-once.ts';
import { withTimeout } from './waiting.ts';

/** Audio kept from before the first sound, so that a soft onset isn't cut off. */
const LEAD_MS = 500;
/** A longer utterance is recognized in parts. */
const MAX_UTTERANCE_MS = 30_000;
/** Maximum parts waiting for the provider; beyond that the stream fails. */
const MAX_WAITING = 4;
/** About -50 dBFS; below is silence. */
const AUDIBLE = 100;

type UtteranceOptions = {
  name: string;
  sampleRate: number;
  limits?: Limits | undefined;
  /** Recognizes one utterance. Rejects with SpeechError. */
  transcribe(
    pcm: Buffer,
    given: { language: string; phrases: readonly string[]; model: string | undefined },
    signal: AbortSignal,
  ): Promise<string>;
};

/**
 * Recognition by one request per utterance: `flush` sends the audio since the previous `flush`, unless it is silence. There
 * are no interim words. A failed request is retried once; `flush` also resolves when the stream fails or is closed.
 */
export function createUtteranceRecognition(options: UtteranceOptions): SpeechToText {
  const { name, sampleRate } = options;
  return { name, sampleRate, repeats: true, open: (given) => openStream(options, given) };
}

function openStream(
  { name, sampleRate, transcribe, limits = DEFAULT_LIMITS }: UtteranceOptions,
  { language, phrases = [], model, onResult, onError }: Parameters<SpeechToText['open']>[0],
): SpeechStream {
  const stop = new AbortController();
  const { signal } = stop;
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const toMs = (samples: number): number => Math.round((samples * 1_000) / sampleRate);
  let chunks: Buffer[] = [];
  let startSample = 0;
  let endSample = 0;
  let isAudible = false;
  let waiting = 0;
  let waitingMs = 0;
  let last: Promise<void> = Promise.resolve();

  function recognize(pcm: Buffer): Promise<string> {
    const ms = wordsTimeoutMs(limits.silenceMs, toMs(pcm.length / 2));
    const attempt = async (): Promise<string> => {
      try {
        return await withTimeout(name, ms, signal, (either) =>
          transcribe(pcm, { language, phrases, model }, either),
        );
      } catch (err) {
        throw failureOf(name, err);
      }
    };
    return retryOnce(attempt, signal);
  }

  function fail(err: unknown): void {
    if (signal.aborted) return;
    stop.abort();
    chunks = [];
    onError(failureOf(name, err));
  }

  /** Sends the collected audio. Utterances are recognized one after the other. */
  function send(): void {
    const [pcm, startMs, endMs] = [Buffer.concat(chunks), toMs(startSample), toMs(endSample)];
    chunks = [];
    startSample = endSample;
    if (!isAudible) return;
    isAudible = false;
    waiting += 1;
    waitingMs += endMs - startMs;
    last = last.then(async () => {
      try {
        if (signal.aborted) return;
        const text = await recognize(pcm);
        if (!signal.aborted && text !== '') {
          onResult({ text, isFinal: true, confidence: null, startMs, endMs });
        }
      } catch (err) {
        fail(err);
      } finally {
        waiting -= 1;
        waitingMs -= endMs - startMs;
      }
    });
  }

  function forgetSilence(): void {
    const maxSamples = (LEAD_MS * sampleRate) / 1_000;
    for (
      let first = chunks[0];
      first && endSample - startSample - first.length / 2 >= maxSamples;
      first = chunks[0]
    ) {
      startSample += first.length / 2;
      chunks.shift();
    }
  }

  return {
    push: (samples) => {
      if (signal.aborted || samples.length === 0) return;
      chunks.push(bytesOf(samples.slice()));
      endSample += samples.length;
      isAudible ||= levelOf(samples) >= AUDIBLE;
      if (!isAudible) return forgetSilence();
      if (toMs(endSample - startSample) < MAX_UTTERANCE_MS) return;
      if (waiting >= MAX_WAITING) return fail(timedOut(name, 'it recognizes slower than is spoken'));
      send();
    },
    flush: () => {
      if (!signal.aborted) send();
      // Closing doesn't wait for the response.
      return signal.aborted ? Promise.resolve() : Promise.race([last, stopped]);
    },
    get flushingMs() {
      return waitingMs;
    },
    close: () => {
      stop.abort();
      chunks = [];
    },
  };
}

/** The root mean square. */
function levelOf(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
