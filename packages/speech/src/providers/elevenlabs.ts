import { z } from 'zod';
import { SpeechError, type SpeechErrorKind, type SpeechToText, type TextToSpeech } from '../ports.ts';
import { acceptedPhrases } from './accepted-phrases.ts';
import { withoutKey } from './failures.ts';
import { clamp, type ProviderAccount, primaryLanguage } from './limits.ts';
import { post } from './post.ts';
import { createSentenceSpeech } from './sentence-speech.ts';
import { createStreamingRecognition, type Position, type Reading } from './streaming-recognition.ts';

const NAME = 'elevenlabs';
const HEARING_RATE = 16_000;
const SPEAKING_RATE = 24_000;
const PHRASES = { count: 50, characters: 20 };
/** George. */
const DEFAULT_VOICE = 'JBFqnCBsd6RMkjVDRZzb';

export type ElevenLabsAccount = ProviderAccount & {
  /** By default `eleven_flash_v2_5`. */
  readonly speakingModel?: string | undefined;
  /** By default `scribe_v2_realtime`. */
  readonly hearingModel?: string | undefined;
  readonly defaultVoice?: string | undefined;
};

/** All other errors are temporary. */
const ERROR_KINDS: Record<string, SpeechErrorKind> = {
  auth_error: 'credentials',
  quota_exceeded: 'credentials',
  unaccepted_terms: 'credentials',
  rate_limited: 'rate_limit',
  queue_overflow: 'rate_limit',
  resource_exhausted: 'rate_limit',
  input_error: 'request',
  invalid_request: 'request',
  chunk_size_exceeded: 'request',
};
const OTHER_ERRORS = new Set([
  'error',
  'transcriber_error',
  'session_time_limit_exceeded',
  'insufficient_audio_activity',
]);

const message = z.object({ message_type: z.string() });
const transcript = z.object({ text: z.string() });
const failure = z.object({ error: z.string().nullish() });

/** https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime */
export function createElevenLabsRecognition(account: ElevenLabsAccount): SpeechToText {
  return createStreamingRecognition({
    name: NAME,
    sampleRate: HEARING_RATE,
    account,
    protocol: ({ language, phrases = [], model = account.hearingModel ?? 'scribe_v2_realtime' }) => {
      const url = new URL(`${account.baseUrl.replace(/^http/, 'ws')}/v1/speech-to-text/realtime`);
      url.searchParams.set('model_id', model);
      url.searchParams.set('audio_format', `pcm_${HEARING_RATE}`);
      // We decide when a turn ends, not the provider.
      url.searchParams.set('commit_strategy', 'manual');
      url.searchParams.set('language_code', primaryLanguage(language));
      for (const phrase of acceptedPhrases(phrases, PHRASES)) url.searchParams.append('keyterms', phrase);
      return {
        url,
        headers: authorization(account),
        encode: (audio) => chunk(Buffer.from(audio).toString('base64'), false),
        finalize: chunk('', true),
        read: (given, at) => readMessage(given, at, account),
      };
    },
  });
}

function chunk(audio_base_64: string, commit: boolean): string {
  return JSON.stringify({
    message_type: 'input_audio_chunk',
    audio_base_64,
    commit,
    sample_rate: HEARING_RATE,
  });
}

function readMessage(
  given: unknown,
  { finalMs: startMs, endMs }: Position,
  { apiKey }: ProviderAccount,
): Reading {
  const { message_type: type } = message.parse(given);
  if (type === 'partial_transcript' || type === 'committed_transcript') {
    const isFinal = type === 'committed_transcript';
    const text = transcript.parse(given).text.trim();
    const results = [{ text, isFinal, confidence: null, startMs, endMs }];
    return isFinal ? { results, isFlushed: true, confirmedMs: endMs } : { results };
  }
  // There was too little audio to commit.
  if (type === 'commit_throttled') return { isFlushed: true };
  const kind = ERROR_KINDS[type] ?? (OTHER_ERRORS.has(type) ? 'unavailable' : undefined);
  if (kind === undefined) return {};
  const words = withoutKey(failure.parse(given).error ?? '', apiKey);
  return { failure: new SpeechError(NAME, kind, `${type}: ${words}`) };
}

/** https://elevenlabs.io/docs/api-reference/text-to-speech/stream */
export function createElevenLabsSpeech(account: ElevenLabsAccount): TextToSpeech {
  const model_id = account.speakingModel ?? 'eleven_flash_v2_5';
  return createSentenceSpeech({
    name: NAME,
    sampleRate: SPEAKING_RATE,
    limits: account.limits,
    request: (
      { text, previous, voiceId = account.defaultVoice ?? DEFAULT_VOICE, speed, language },
      signal,
    ) => {
      const url = new URL(`${account.baseUrl}/v1/text-to-speech/${encodeURIComponent(voiceId)}/stream`);
      url.searchParams.set('output_format', `pcm_${SPEAKING_RATE}`);
      const body = {
        text,
        model_id,
        ...(previous === '' ? {} : { previous_text: previous }),
        // Other models reject it.
        ...(/v2_5|v3/.test(model_id) ? { language_code: primaryLanguage(language) } : {}),
        ...(speed === 1 ? {} : { voice_settings: { speed: clamp(speed, 0.7, 1.2) } }),
      };
      const { apiKey: key } = account;
      return post({ provider: NAME, url, headers: authorization(account), key, body }, signal);
    },
  });
}

function authorization({ apiKey }: ProviderAccount): Record<string, string> {
  return apiKey === undefined ? {} : { 'xi-api-key': apiKey };
}
