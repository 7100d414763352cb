import { z } from 'zod';
import { SpeechError, type SpeechToText, type TextToSpeech } from '../ports.ts';
import { acceptedPhrases } from './accepted-phrases.ts';
import { withoutKey } from './failures.ts';
import { clamp, type ProviderAccount, primaryLanguage } from './limits.ts';
import { post } from './post.ts';
import { createSentenceSpeech } from './sentence-speech.ts';
import {
  createStreamingRecognition,
  type Reading,
  type RecognitionOptions,
} from './streaming-recognition.ts';

const NAME = 'deepgram';
const HEARING_RATE = 16_000;
const LINE_RATES: readonly number[] = [8_000, HEARING_RATE];
const SPEAKING_RATE = 24_000;
/** At most 500 tokens in all; names and codes have a token for every two characters. */
const PHRASES = { count: 100, totalCharacters: 1_000 };
const DEFAULT_VOICES: Record<string, string> = {
  en: 'aura-2-thalia-en',
  es: 'aura-2-celeste-es',
  de: 'aura-2-viktoria-de',
  fr: 'aura-2-agathe-fr',
  it: 'aura-2-livia-it',
  nl: 'aura-2-rhea-nl',
};

export type DeepgramAccount = ProviderAccount & {
  /** By default `nova-3`. */
  readonly hearingModel?: string | undefined;
  readonly defaultVoice?: string | undefined;
};

const message = z.object({ type: z.string() });
const results = z.object({
  start: z.number(),
  duration: z.number(),
  is_final: z.boolean().default(false),
  from_finalize: z.boolean().default(false),
  channel: z.object({
    alternatives: z.array(
      z.object({
        transcript: z.string(),
        confidence: z.number().nullish(),
        words: z.array(z.object({ start: z.number(), end: z.number() })).default([]),
      }),
    ),
  }),
});
const failure = z.object({ description: z.string().nullish(), message: z.string().nullish() });

/** https://developers.deepgram.com/reference/speech-to-text/listen-streaming */
export function createDeepgramRecognition(account: DeepgramAccount): SpeechToText {
  const atRate = (sampleRate: number): SpeechToText =>
    createStreamingRecognition(recognition(account, sampleRate));
  const known = new Map(LINE_RATES.map((rate) => [rate, atRate(rate)]));
  const usual = atRate(HEARING_RATE);
  return { ...usual, forLine: (rate) => known.get(rate) ?? usual };
}

function recognition(account: DeepgramAccount, sampleRate: number): RecognitionOptions {
  return {
    name: NAME,
    sampleRate,
    account,
    protocol: ({ language, phrases = [], model = account.hearingModel ?? 'nova-3' }) => ({
      url: listenUrl(account.baseUrl, { model, language, phrases, sampleRate }),
      headers: authorization(account),
      encode: (audio) => audio,
      finalize: JSON.stringify({ type: 'Finalize' }),
      goodbye: JSON.stringify({ type: 'CloseStream' }),
      keepAlive: JSON.stringify({ type: 'KeepAlive' }),
      finalizeMs: 1_000,
      read: (given) => readMessage(given, account),
    }),
  };
}

function listenUrl(
  baseUrl: string,
  given: { model: string; language: string; phrases: readonly string[]; sampleRate: number },
): URL {
  const { model, language, phrases, sampleRate } = given;
  const url = new URL(`${baseUrl.replace(/^http/, 'ws')}/v1/listen`);
  const query = {
    model,
    language,
    encoding: 'linear16',
    sample_rate: String(sampleRate),
    channels: '1',
    interim_results: 'true',
    smart_format: 'true',
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  const key = model.startsWith('nova-3') ? 'keyterm' : 'keywords';
  for (const phrase of acceptedPhrases(phrases, PHRASES)) url.searchParams.append(key, phrase);
  return url;
}

function readMessage(given: unknown, { apiKey }: ProviderAccount): Reading {
  const { type } = message.parse(given);
  if (type === 'Error') {
    const { description, message: words } = failure.parse(given);
    const text = withoutKey(description ?? words ?? 'error', apiKey);
    return { failure: new SpeechError(NAME, 'unavailable', text) };
  }
  if (type !== 'Results') return {};
  const { start, duration, is_final: isFinal, from_finalize: isFlushed, channel } = results.parse(given);
  const [best] = channel.alternatives;
  const end = start + duration;
  const result = {
    text: best?.transcript.trim() ?? '',
    isFinal,
    confidence: best?.confidence ?? null,
    startMs: (best?.words[0]?.start ?? start) * 1_000,
    endMs: (best?.words.at(-1)?.end ?? end) * 1_000,
  };
  return { results: [result], isFlushed, ...(isFinal ? { confirmedMs: end * 1_000 } : {}) };
}

/** https://developers.deepgram.com/reference/text-to-speech/speak-request */
export function createDeepgramSpeech(account: DeepgramAccount): TextToSpeech {
  return createSentenceSpeech({
    name: NAME,
    sampleRate: SPEAKING_RATE,
    limits: account.limits,
    request: ({ text, voiceId, speed, language }, signal) => {
      const url = new URL(`${account.baseUrl}/v1/speak`);
      const voice =
        voiceId ??
        account.defaultVoice ??
        DEFAULT_VOICES[primaryLanguage(language)] ??
        DEFAULT_VOICES.en ??
        '';
      url.searchParams.set('model', voice);
      url.searchParams.set('encoding', 'linear16');
      url.searchParams.set('container', 'none');
      url.searchParams.set('sample_rate', String(SPEAKING_RATE));
      if (speed !== 1) url.searchParams.set('speed', String(clamp(speed, 0.7, 1.5)));
      const { apiKey: key } = account;
      return post({ provider: NAME, url, headers: authorization(account), key, body: { text } }, signal);
    },
  });
}

function authorization({ apiKey }: ProviderAccount): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Token ${apiKey}` };
}
