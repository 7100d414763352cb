import type { TextToSpeech } from '../ports.ts';
import { failureOf, malformed, timedOut } from './failures.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { createPcmReader } from './pcm.ts';
import { retryOnce } from './retry-once.ts';
import { sentencesOf } from './sentences.ts';
import { after, ignoreRejection, untilAborted } from './waiting.ts';

type SentenceRequest = {
  text: string;
  /** The sentence before it, for its intonation; empty for the first one. */
  previous: string;
  voiceId: string | undefined;
  speed: number;
  /** BCP 47. */
  language: string;
};

type SentenceSpeechOptions = {
  name: string;
  sampleRate: number;
  limits?: Limits | undefined;
  /** Resolves with a response whose body is PCM at `sampleRate`. Rejects with SpeechError, also for an HTTP error. */
  request(sentence: SentenceRequest, signal: AbortSignal): Promise<Response>;
};

type Body = ReadableStreamDefaultReader<Uint8Array>;

/** The audio of one sentence: its first samples have arrived, the rest is read on demand. */
type Audio = { text: string; first: Int16Array; rest(): AsyncIterable<Int16Array> };

/**
 * Speech by one HTTP request per sentence; the next one is sent while the previous sentence is spoken. Audio that the listener doesn't
 * read stays in the socket. A request that fails before its first audio is retried once.
 */
export function createSentenceSpeech(options: SentenceSpeechOptions): TextToSpeech {
  const { name, sampleRate, limits = DEFAULT_LIMITS } = options;

  async function open(request: SentenceRequest, signal: AbortSignal): Promise<Audio> {
    const stop = new AbortController();
    const signals = AbortSignal.any([signal, stop.signal]);
    const watched = async <T>(work: Promise<T>, ms: number): Promise<T> => {
      const cancel = after(ms, () => stop.abort(timedOut(name, 'no audio in time')));
      try {
        return await untilAborted(work, signals);
      } catch (err) {
        throw signals.aborted ? signals.reason : failureOf(name, err);
      } finally {
        cancel();
      }
    };
    const pcm = createPcmReader(name, sampleRate);
    const read = async (reader: Body): Promise<Int16Array | undefined> => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        const samples = pcm.read(value);
        if (samples.length > 0) return samples;
      }
    };
    const begin = async (): Promise<{ first: Int16Array; reader: Body }> => {
      const reader = audioBody(name, await options.request(request, signals)).getReader();
      const first = await read(reader);
      if (!first) throw malformed(name, 'the answer has no audio');
      return { first, reader };
    };
    try {
      const { first, reader } = await watched(begin(), limits.connectMs);
      const next = () => watched(read(reader), limits.silenceMs);
      return {
        text: request.text,
        first,
        rest: async function* () {
          for (let samples = await next(); samples; samples = await next()) yield samples;
        },
      };
    } catch (err) {
      stop.abort(err);
      throw err;
    }
  }

  return {
    name,
    sampleRate,
    repeats: true,
    speak: async function* (text, { voiceId, speed = 1, language, signal }) {
      signal.throwIfAborted();
      const stop = new AbortController();
      const signals = AbortSignal.any([signal, stop.signal]);
      const sentences = sentencesOf(text);
      const next = async (previous: string): Promise<Audio | undefined> => {
        const { done, value } = await sentences.next();
        if (done) return undefined;
        const request = { text: value, previous, voiceId, speed, language };
        return retryOnce(() => open(request, signals), signals);
      };
      try {
        let pending = ignoreRejection(next(''));
        for (;;) {
          const audio = await untilAborted(pending, signal);
          if (!audio) return;
          pending = ignoreRejection(next(audio.text));
          yield audio.first;
          yield* audio.rest();
        }
      } finally {
        stop.abort(new Error('No longer needed'));
        void sentences.return().catch(() => {});
      }
    },
  };
}

function audioBody(provider: string, { body, headers }: Response): ReadableStream<Uint8Array> {
  const type = headers.get('content-type') ?? '';
  if (/^(?:text\/|application\/json)/.test(type)) {
    void body?.cancel().catch(() => {});
    throw malformed(provider, `the answer is ${type} instead of audio`);
  }
  if (!body) throw malformed(provider, 'the answer has no audio');
  return body as ReadableStream<Uint8Array>;
}
