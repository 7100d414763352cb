import { z } from 'zod';
import { apiKey, baseUrl, checkUniqueNames, nameExcept } from './config-fields.ts';

/** The types of providers in `SPEECH_PROVIDERS`. */
const SPEECH_TYPES = [
  'openai',
  'deepgram',
  'elevenlabs',
  'cartesia',
  'google',
  'azure',
  'flite',
  'pocketsphinx',
] as const;

/** `builtin` stands for flite and pocketsphinx where the operator configured nothing. */
export type SpeechType = (typeof SPEECH_TYPES)[number] | 'builtin';

const voice = z.strictObject({
  voice_id: z.string().min(1).max(255),
  voice_name: z.string().min(1).max(255).optional(),
  gender: z.enum(['female', 'male', 'neutral']).optional(),
  /** BCP 47; `mul`: any language. */
  language: z.string().refine(isLanguage, 'must be a BCP 47 language tag').optional(),
  preview_url: z.url({ protocol: /^https?$/ }).optional(),
});

/** The models of one or both directions. A plain name applies to the direction that the model is made for. */
const models = z.strictObject({
  voice: z.string().min(1).optional(),
  transcriber: z.string().min(1).optional(),
});

const MAX_PROVIDERS = 50;
const MAX_VOICES = 1_000;

const provider = z.strictObject({
  name: nameExcept(['builtin']),
  type: z.enum(SPEECH_TYPES),
  base_url: baseUrl.optional(),
  api_key: apiKey.optional(),
  model: z.union([z.string().min(1), models]).optional(),
  /** Replace the standard voices of the type. */
  voices: z
    .array(z.union([z.string().min(1).max(255), voice]))
    .max(MAX_VOICES)
    .optional(),
  /** The directions it is used for; by default all that its type supports. */
  uses: z
    .array(z.enum(['voice', 'transcriber']))
    .min(1)
    .optional(),
  /** Sample rate of the PCM from an OpenAI-compatible server; 24000 by default. */
  sample_rate: z.int().min(8_000).max(48_000).optional(),
});

/** One provider of speech, as the operator configured it. */
export type SpeechProvider = Omit<z.output<typeof provider>, 'type'> & { type: SpeechType };

/** The value of `SPEECH_PROVIDERS`, the preferred providers first. */
export const speechProviderList = z.array(provider).min(1).max(MAX_PROVIDERS).superRefine(checkUniqueNames);

const BUILTIN: SpeechProvider = { name: 'builtin', type: 'builtin' };
const OPENAI: SpeechProvider = { name: 'openai', type: 'openai' };

/** The variables of one server for chat and speech, or whether they are set. */
type OpenAiVariables = Partial<Record<'OPENAI_BASE_URL' | 'OPENAI_API_KEY', string | boolean | undefined>>;

/** Either variable configures the server, for all services alike [running.12]. */
export const hasOpenAi = ({ OPENAI_BASE_URL, OPENAI_API_KEY }: OpenAiVariables): boolean =>
  Boolean(OPENAI_BASE_URL || OPENAI_API_KEY);

/** The providers of a platform: those of `SPEECH_PROVIDERS`; without it the server of `OPENAI_BASE_URL` and `OPENAI_API_KEY`, and the embedded ones. */
export function speechProvidersOf(
  given: readonly SpeechProvider[] | undefined,
  env: OpenAiVariables,
): readonly SpeechProvider[] {
  return given ?? (hasOpenAi(env) ? [OPENAI, BUILTIN] : [BUILTIN]);
}

const SPEAKS_ONLY: readonly SpeechType[] = ['flite'];
const HEARS_ONLY: readonly SpeechType[] = ['pocketsphinx'];

export function speaks({ type, uses, voices }: SpeechProvider): boolean {
  if (HEARS_ONLY.includes(type) || voices?.length === 0) return false;
  return uses === undefined || uses.includes('voice');
}

export function recognizes({ type, uses }: SpeechProvider): boolean {
  return !SPEAKS_ONLY.includes(type) && (uses === undefined || uses.includes('transcriber'));
}

/** The operator's accounts: read by the processes that carry audio. A key of the list takes precedence. */
export const speechAccountVariables = {
  DEEPGRAM_API_KEY: apiKey.optional(),
  ELEVENLABS_API_KEY: apiKey.optional(),
  CARTESIA_API_KEY: apiKey.optional(),
  GOOGLE_API_KEY: apiKey.optional(),
  AZURE_SPEECH_KEY: apiKey.optional(),
  /** Timeout of a provider's connection and first audio; also its maximum silence while audio or words are pending. */
  SPEECH_TIMEOUT_SECONDS: z.coerce.number().min(1).max(30).default(3),
};

/** The variable with the key of each hosted type. */
const KEY_VARIABLES = {
  openai: 'OPENAI_API_KEY',
  deepgram: 'DEEPGRAM_API_KEY',
  elevenlabs: 'ELEVENLABS_API_KEY',
  cartesia: 'CARTESIA_API_KEY',
  google: 'GOOGLE_API_KEY',
  azure: 'AZURE_SPEECH_KEY',
} as const;
export type HostedType = keyof typeof KEY_VARIABLES;

/** Azure has an address for each region, which the operator must give. */
const BASE_URLS: Partial<Record<HostedType, string>> = {
  openai: 'https://api.openai.com/v1',
  deepgram: 'https://api.deepgram.com',
  elevenlabs: 'https://api.elevenlabs.io',
  cartesia: 'https://api.cartesia.ai',
  google: 'https://{service}.googleapis.com',
};

export function isHosted(type: SpeechType): type is HostedType {
  return type in KEY_VARIABLES;
}

type Keys = Partial<Record<(typeof KEY_VARIABLES)[HostedType] | 'OPENAI_BASE_URL', string | undefined>>;

/** URL and key of a hosted provider; undefined: it has neither, or Azure has no URL. */
export function accessOf(
  given: SpeechProvider & { type: HostedType },
  env: Keys,
): { baseUrl: string; apiKey: string | undefined } | undefined {
  const { type, base_url, api_key } = given;
  // OPENAI_API_KEY is for OPENAI_BASE_URL; another server with that API may belong to someone else. Servers of other types belong to their provider.
  const isElsewhere = type === 'openai' && base_url !== undefined;
  const apiKey = api_key ?? (isElsewhere ? undefined : env[KEY_VARIABLES[type]]);
  const address = base_url ?? (type === 'openai' ? env.OPENAI_BASE_URL : undefined);
  if (apiKey === undefined && address === undefined) return undefined;
  const baseUrl = address ?? BASE_URLS[type];
  return baseUrl === undefined ? undefined : { baseUrl, apiKey };
}

/** What is missing in a list, by the index of its provider. */
export function missingAccounts(list: readonly SpeechProvider[], env: Keys): Map<number, string> {
  const problems = new Map<number, string>();
  for (const [i, given] of list.entries()) {
    const { type } = given;
    if (!isHosted(type) || accessOf({ ...given, type }, env)) continue;
    const key = type === 'openai' ? 'api_key, base_url' : 'api_key';
    problems.set(
      i,
      type === 'azure' ? 'needs base_url and api_key' : `needs ${key} or the variable ${KEY_VARIABLES[type]}`,
    );
  }
  return problems;
}

const TRANSCRIBER_NAME = /whisper|transcri|scribe|\bink\b|\bstt\b|\basr\b|parakeet|canary|voxtral|moonshine/i;

/** The models of a provider for each direction. */
export function modelsOf({ type, model }: SpeechProvider): { voice?: string; transcriber?: string } {
  if (model === undefined) return {};
  if (typeof model !== 'string') {
    const { voice: speaking, transcriber } = model;
    return { ...(speaking && { voice: speaking }), ...(transcriber && { transcriber }) };
  }
  // For types whose voices are models themselves, or have none, the model is for recognition.
  const isTranscriber = ['deepgram', 'google', 'azure'].includes(type) || TRANSCRIBER_NAME.test(model);
  return isTranscriber ? { transcriber: model } : { voice: model };
}

function isLanguage(tag: string): boolean {
  try {
    return new Intl.Locale(tag).language !== '';
  } catch {
    return false;
  }
}
