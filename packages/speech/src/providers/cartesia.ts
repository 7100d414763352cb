import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { SpeechError, type SpeechToText, type TextToSpeech } from '../ports.ts';
import { acceptedPhrases } from './accepted-phrases.ts';
import { createAudioQueue } from './audio-queue.ts';
import { failureOfStatus, isTemporary, malformed, timedOut, withoutKey } from './failures.ts';
import { clamp, DEFAULT_LIMITS, type ProviderAccount, primaryLanguage, retryDelayMs } from './limits.ts';
import { createPcmReader } from './pcm.ts';
import { type Replayable, replayable } from './replayable.ts';
import { sentencesOf } from './sentences.ts';
import { connect } from './socket.ts';
import { createStreamingRecognition, type Position, type Reading } from './streaming-recognition.ts';
import { after, pause } from './waiting.ts';

const NAME = 'cartesia';
const VERSION = '2026-08-14';
const HEARING_RATE = 16_000;
const SPEAKING_RATE = 24_000;
const PHRASES = { count: 100 };
const MAX_WAITING_SECONDS = 5;
/** Katie. */
const DEFAULT_VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';

export type CartesiaAccount = ProviderAccount & {
  /** By default `sonic-3`. */
  readonly speakingModel?: string | undefined;
  /** By default `ink-whisper`. */
  readonly hearingModel?: string | undefined;
  readonly defaultVoice?: string | undefined;
};

const message = z.object({ type: z.string() });
const chunk = z.object({ data: z.base64() });
const transcript = z.object({ text: z.string(), is_final: z.boolean() });
const failure = z.object({
  status_code: z.number(),
  title: z.string().nullish(),
  message: z.string().nullish(),
});

/** https://docs.cartesia.ai/api-reference/stt/stt */
export function createCartesiaRecognition(account: CartesiaAccount): SpeechToText {
  return createStreamingRecognition({
    name: NAME,
    sampleRate: HEARING_RATE,
    account,
    protocol: ({ language, phrases = [], model = account.hearingModel ?? 'ink-whisper' }) => {
      const url = socketUrl(account, '/stt/websocket');
      url.searchParams.set('model', model);
      url.searchParams.set('encoding', 'pcm_s16le');
      url.searchParams.set('sample_rate', String(HEARING_RATE));
      url.searchParams.set('language', primaryLanguage(language));
      if (!model.startsWith('ink-whisper')) {
        for (const phrase of acceptedPhrases(phrases, PHRASES)) url.searchParams.append('keyterm', phrase);
      }
      return {
        url,
        headers: headersOf(account),
        encode: (audio) => audio,
        finalize: 'finalize',
        goodbye: 'close',
        read: (given, at) => readTranscript(given, at, account),
      };
    },
  });
}

function readTranscript(
  given: unknown,
  { finalMs: startMs, endMs }: Position,
  account: ProviderAccount,
): Reading {
  const { type } = message.parse(given);
  if (type === 'error') return { failure: failureIn(given, account) };
  if (type === 'flush_done') return { isFlushed: true };
  if (type !== 'transcript') return {};
  const { text, is_final: isFinal } = transcript.parse(given);
  return { results: [{ text: text.trim(), isFinal, confidence: null, startMs, endMs }] };
}

/**
 * https://docs.cartesia.ai/api-reference/tts/websocket: one connection per utterance, whose sentences continue one another. An utterance
 * that fails before its first audio is repeated once.
 */
export function createCartesiaSpeech(account: CartesiaAccount): TextToSpeech {
  return {
    name: NAME,
    sampleRate: SPEAKING_RATE,
    repeats: true,
    speak: async function* (text, options) {
      const { signal } = options;
      signal.throwIfAborted();
      const whole = replayable(sentencesOf(text));
      let hasBegun = false;
      try {
        for (let mayRepeat = true; ; mayRepeat = false) {
          try {
            for await (const samples of speakOnce(account, whole, options)) {
              hasBegun = true;
              yield samples;
            }
            return;
          } catch (err) {
            signal.throwIfAborted();
            if (hasBegun || !mayRepeat || !isTemporary(err)) throw err;
            await pause(retryDelayMs(err), signal);
          }
        }
      } finally {
        whole.release();
      }
    },
  };
}

type SpeakOptions = Parameters<TextToSpeech['speak']>[1];

async function* speakOnce(
  account: CartesiaAccount,
  text: Replayable,
  { voiceId = account.defaultVoice ?? DEFAULT_VOICE, speed = 1, language, signal }: SpeakOptions,
): AsyncGenerator<Int16Array, void> {
  const limits = account.limits ?? DEFAULT_LIMITS;
  const pcm = createPcmReader(NAME, SPEAKING_RATE);
  const request = {
    context_id: randomUUID(),
    model_id: account.speakingModel ?? 'sonic-3',
    voice: { mode: 'id', id: voiceId },
    language: primaryLanguage(language),
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: SPEAKING_RATE },
    // Whole sentences are sent.
    max_buffer_delay_ms: 0,
    ...(speed === 1 ? {} : { generation_config: { speed: clamp(speed, 0.6, 1.5) } }),
  };
  let awaitsAudio = false;
  let wake = (): void => {};
  let isTextOver = false;
  let isPaused = false;
  let isStopped = false;
  let cancelWatch = (): void => {};
  const watch = (): void => {
    cancelWatch();
    if ((awaitsAudio || isTextOver) && !isPaused && !isStopped) {
      cancelWatch = after(limits.silenceMs, () => queue.fail(timedOut(NAME, 'no audio in time')));
    }
  };
  const queue = createAudioQueue(MAX_WAITING_SECONDS * SPEAKING_RATE, (isFull) => {
    isPaused = isFull;
    wake();
    if (isFull) socket.pause();
    else socket.resume();
    watch();
  });

  /** Waits until the previous sentence is being spoken and there is room for the audio of the next one. */
  const canSend = async (): Promise<void> => {
    while ((awaitsAudio || isPaused) && !isStopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  const send = async (): Promise<void> => {
    try {
      let isFirst = true;
      for await (const sentence of text.read()) {
        await canSend();
        if (isStopped) return;
        socket.send(
          JSON.stringify({ ...request, transcript: isFirst ? sentence : ` ${sentence}`, continue: true }),
        );
        isFirst = false;
        awaitsAudio = true;
        watch();
      }
      if (isFirst) return queue.end();
      socket.send(JSON.stringify({ ...request, transcript: '', continue: false }));
      isTextOver = true;
      watch();
    } catch (err) {
      queue.fail(err);
    }
  };

  let hasAudio = false;
  const receive = (given: unknown): void => {
    const { type } = message.parse(given);
    if (type === 'chunk') {
      const samples = pcm.read(Buffer.from(chunk.parse(given).data, 'base64'));
      hasAudio ||= samples.length > 0;
      if (samples.length > 0) queue.push(samples);
      // With a text that pauses, silence is expected after the audio of its sentences.
      awaitsAudio = false;
      wake();
    } else if (type === 'done') {
      if (hasAudio) queue.end();
      else queue.fail(malformed(NAME, 'the answer has no audio'));
    } else if (type === 'error') queue.fail(failureIn(given, account));
  };

  const socket = connect({
    provider: NAME,
    url: socketUrl(account, '/tts/websocket'),
    headers: headersOf(account),
    key: account.apiKey,
    connectMs: limits.connectMs,
    onOpen: () => void send(),
    onText: (given) => {
      try {
        receive(JSON.parse(given));
        watch();
      } catch (err) {
        queue.fail(
          err instanceof SpeechError ? err : malformed(NAME, 'a message that is not of its protocol'),
        );
      }
    },
    onFailure: (failed) => queue.fail(failed),
  });
  try {
    yield* queue.read(signal);
    socket.close();
  } finally {
    isStopped = true;
    wake();
    cancelWatch();
    socket.destroy();
  }
}

function failureIn(given: unknown, { apiKey }: ProviderAccount): SpeechError {
  const { status_code: status, title, message: words } = failure.parse(given);
  return failureOfStatus(NAME, status, withoutKey(words || title || '', apiKey));
}

function socketUrl({ baseUrl }: ProviderAccount, path: string): URL {
  const url = new URL(`${baseUrl.replace(/^http/, 'ws')}${path}`);
  url.searchParams.set('cartesia_version', VERSION);
  return url;
}

function headersOf({ apiKey }: ProviderAccount): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
