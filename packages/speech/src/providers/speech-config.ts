import { z } from 'zod';
import type { SpeechConfig } from './create-speech-providers.ts';

export const SPEECH_PROVIDERS = ['builtin', 'openai', 'deepgram', 'elevenlabs', 'cartesia'] as const;

const baseUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));

/** A comma list of providers, the preferred one first; by default `builtin`. */
const providerList = z
  .string()
  .default('builtin')
  .transform((value) => [...new Set(value.split(',').map((item) => item.trim()))])
  .pipe(z.array(z.enum(SPEECH_PROVIDERS)).min(1));

/** Which providers there are: read by every service that has to do with voices. */
export const speechProviderVariables = {
  /** Providers that speak. */
  VOICE_PROVIDERS: providerList,
  /** Providers that recognise speech. */
  TRANSCRIBER_PROVIDERS: providerList,
};

/** The operator's accounts: read by the process that carries the audio. */
export const speechAccountVariables = {
  /** An OpenAI-compatible server for speech; by default that of `OPENAI_BASE_URL` and `OPENAI_API_KEY`. */
  OPENAI_SPEECH_BASE_URL: baseUrl.optional(),
  OPENAI_SPEECH_API_KEY: z.string().optional(),
  OPENAI_TTS_MODEL: z.string().optional(),
  /** Its voice for assistants that choose none of its own. */
  OPENAI_TTS_VOICE: z.string().optional(),
  /** Of the `pcm` that it answers; 24000 unless the server differs. */
  OPENAI_TTS_SAMPLE_RATE: z.coerce.number().int().min(8_000).max(48_000).optional(),
  OPENAI_STT_MODEL: z.string().optional(),
  DEEPGRAM_API_KEY: z.string().optional(),
  DEEPGRAM_BASE_URL: baseUrl.optional(),
  DEEPGRAM_STT_MODEL: z.string().optional(),
  ELEVENLABS_API_KEY: z.string().optional(),
  ELEVENLABS_BASE_URL: baseUrl.optional(),
  ELEVENLABS_TTS_MODEL: z.string().optional(),
  ELEVENLABS_STT_MODEL: z.string().optional(),
  CARTESIA_API_KEY: z.string().optional(),
  CARTESIA_BASE_URL: baseUrl.optional(),
  CARTESIA_TTS_MODEL: z.string().optional(),
  CARTESIA_STT_MODEL: z.string().optional(),
  /** Until a provider's connection, or first audio; and the maximum silence while it owes audio or words. */
  SPEECH_TIMEOUT_SECONDS: z.coerce.number().min(1).max(30).default(5),
};

const variables = z.object({ ...speechProviderVariables, ...speechAccountVariables });

type Variables = z.output<typeof variables> & {
  OPENAI_BASE_URL?: string | undefined;
  OPENAI_API_KEY?: string | undefined;
};

/** A provider is configured by a key, by a base URL, or by both. */
export function speechConfigOf(env: Variables): SpeechConfig {
  const limitMs = env.SPEECH_TIMEOUT_SECONDS * 1_000;
  const limits = { connectMs: limitMs, silenceMs: limitMs };
  const account = (apiKey: string | undefined, given: string | undefined, standard: string) =>
    apiKey === undefined && given === undefined ? undefined : { apiKey, baseUrl: given ?? standard, limits };

  const openai = account(...openAiAccess(env), 'https://api.openai.com/v1');
  const deepgram = account(env.DEEPGRAM_API_KEY, env.DEEPGRAM_BASE_URL, 'https://api.deepgram.com');
  const elevenlabs = account(env.ELEVENLABS_API_KEY, env.ELEVENLABS_BASE_URL, 'https://api.elevenlabs.io');
  const cartesia = account(env.CARTESIA_API_KEY, env.CARTESIA_BASE_URL, 'https://api.cartesia.ai');
  return {
    speaking: env.VOICE_PROVIDERS,
    hearing: env.TRANSCRIBER_PROVIDERS,
    accounts: {
      openai: openai && {
        ...openai,
        speakingModel: env.OPENAI_TTS_MODEL,
        hearingModel: env.OPENAI_STT_MODEL,
        defaultVoice: env.OPENAI_TTS_VOICE,
        speakingRate: env.OPENAI_TTS_SAMPLE_RATE,
      },
      deepgram: deepgram && { ...deepgram, hearingModel: env.DEEPGRAM_STT_MODEL },
      elevenlabs: elevenlabs && {
        ...elevenlabs,
        speakingModel: env.ELEVENLABS_TTS_MODEL,
        hearingModel: env.ELEVENLABS_STT_MODEL,
      },
      cartesia: cartesia && {
        ...cartesia,
        speakingModel: env.CARTESIA_TTS_MODEL,
        hearingModel: env.CARTESIA_STT_MODEL,
      },
    },
  };
}

/** The key of one server is never sent to another. */
function openAiAccess(env: Variables): [key: string | undefined, baseUrl: string | undefined] {
  return env.OPENAI_SPEECH_BASE_URL === undefined
    ? [env.OPENAI_SPEECH_API_KEY ?? env.OPENAI_API_KEY, env.OPENAI_BASE_URL]
    : [env.OPENAI_SPEECH_API_KEY, env.OPENAI_SPEECH_BASE_URL];
}

/** Names of providers that are to be used, but have neither a key nor a base URL. */
export function missingAccounts({ speaking, hearing, accounts }: SpeechConfig): string[] {
  const configured = new Set(
    Object.entries(accounts).flatMap(([name, account]) => (account === undefined ? [] : [name])),
  );
  return [...new Set([...speaking, ...hearing])].filter(
    (name) => name !== 'builtin' && !configured.has(name),
  );
}
