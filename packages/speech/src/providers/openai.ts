import { APIError, OpenAI, toFile } from 'openai';
import type { SpeechToText, TextToSpeech } from '../ports.ts';
import { failureOf, failureOfStatus, malformed, malformedRequest, withoutKey } from './failures.ts';
import { clamp, DEFAULT_LIMITS, type ProviderAccount, primaryLanguage } from './limits.ts';
import { wavOf } from './pcm.ts';
import { detailOf, textOf } from './post.ts';
import { createSentenceSpeech } from './sentence-speech.ts';
import { createUtteranceRecognition } from './utterance-recognition.ts';

const NAME = 'openai';
const HEARING_RATE = 16_000;
const SPEAKING_RATE = 24_000;
const PROMPT_CHARACTERS = 800;

/** An OpenAI account, or a server with the same API, such as Speaches, LocalAI or vLLM. */
export type OpenAiAccount = ProviderAccount & {
  /** By default `gpt-4o-mini-tts`. */
  readonly speakingModel?: string | undefined;
  /** By default `gpt-4o-mini-transcribe`. */
  readonly hearingModel?: string | undefined;
  /** By default `alloy`. */
  readonly defaultVoice?: string | undefined;
  /** Sample rate of the server's `pcm` format. By default 24000. */
  readonly speakingRate?: number | undefined;
};

export function createOpenAiSpeech(account: OpenAiAccount): TextToSpeech {
  const client = clientOf(account);
  return createSentenceSpeech({
    name: NAME,
    sampleRate: account.speakingRate ?? SPEAKING_RATE,
    limits: account.limits,
    request: async ({ text: input, voiceId, speed }, signal) => {
      const voice = voiceId ?? account.defaultVoice ?? 'alloy';
      const model = account.speakingModel ?? 'gpt-4o-mini-tts';
      const rate = speed === 1 ? {} : { speed: clamp(speed, 0.25, 4) };
      try {
        return await client.audio.speech.create(
          { model, voice, input, response_format: 'pcm', ...rate },
          { signal },
        );
      } catch (err) {
        throw failureFrom(err, account);
      }
    },
  });
}

export function createOpenAiRecognition(account: OpenAiAccount): SpeechToText {
  const client = clientOf(account, fetchBoundedText);
  return createUtteranceRecognition({
    name: NAME,
    sampleRate: HEARING_RATE,
    limits: account.limits,
    transcribe: async (pcm, { language, phrases, model }, signal) => {
      const file = await toFile(wavOf(pcm, HEARING_RATE), 'speech.wav', { type: 'audio/wav' });
      const prompt = phrases.join(', ').slice(0, PROMPT_CHARACTERS);
      const body = {
        file,
        model: model ?? account.hearingModel ?? 'gpt-4o-mini-transcribe',
        language: primaryLanguage(language),
        response_format: 'json' as const,
        ...(prompt === '' ? {} : { prompt }),
      };
      try {
        const answer: { text?: unknown } = await client.audio.transcriptions.create(body, { signal });
        if (typeof answer?.text !== 'string') throw malformed(NAME, 'the answer has no text');
        return answer.text.trim();
      } catch (err) {
        throw signal.aborted ? signal.reason : failureFrom(err, account);
      }
    },
  });
}

/** The client reads no environment variables, logs nothing and doesn't repeat anything by itself. */
function clientOf(
  { apiKey = 'none', baseUrl, limits = DEFAULT_LIMITS }: OpenAiAccount,
  answer = fetchWithoutEndlessRefusals,
): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    organization: null,
    project: null,
    maxRetries: 0,
    // Both callers have a shorter timeout of their own.
    timeout: 20 * limits.silenceMs,
    logLevel: 'off',
    fetch: answer,
  });
}

/** The client waits for the end of a refusal. */
async function fetchWithoutEndlessRefusals(...given: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...given);
  if (response.ok) return response;
  const { status, headers } = response;
  return new Response((await detailOf(response)) || null, { status, headers });
}

/** The client reads an answer to its end, however long it is. */
async function fetchBoundedText(...given: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetchWithoutEndlessRefusals(...given);
  if (!response.ok) return response;
  const { status, headers } = response;
  return new Response((await textOf(NAME, response, given[1]?.signal)) || null, { status, headers });
}

function failureFrom(err: unknown, { apiKey }: OpenAiAccount): Error {
  if (isSyntaxError(err)) return malformed(NAME, 'the answer is not JSON');
  // Errors of the network are an APIError, or have a cause: the client reads the body of an answer without wrapping them.
  if (err instanceof TypeError && err.cause === undefined) return malformedRequest(NAME);
  if (!(err instanceof APIError)) return failureOf(NAME, err);
  if (err.status === undefined) return failureOf(NAME, err);
  // OpenAI repeats a part of an invalid key.
  const words = err.status === 401 ? '' : withoutKey(err.message.replace(/^\d{3} /, ''), apiKey);
  return failureOfStatus(NAME, err.status, words);
}

function isSyntaxError(err: unknown): boolean {
  return typeof err === 'object' && err !== null && 'name' in err && err.name === 'SyntaxError';
}
