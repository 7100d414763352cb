import type { SpeechToText, TextToSpeech } from '../ports.ts';
import { DEFAULT_LIMITS, type Limits, type ProviderAccount } from './limits.ts';
import { namedRecognition, namedVoice } from './named.ts';
import {
  accessOf,
  type HostedType,
  isHosted,
  modelsOf,
  recognizes,
  type SpeechProvider,
  speaks,
} from './speech-config.ts';

/** The programs that are installed. */
export type EmbeddedSpeech = { flite?: TextToSpeech | undefined; pocketsphinx?: SpeechToText | undefined };

/** The provider of a call, followed by its fallbacks in order. */
type Choice<T> = { first: T; others: readonly T[] };

export type SpeechProviders = {
  /** The provider that the assistant names, if it is configured; otherwise the preferred one. Undefined: none is configured. */
  speaking(name?: string): Choice<TextToSpeech> | undefined;
  hearing(name?: string): Choice<SpeechToText> | undefined;
};

/** An account with the models and voices that the operator chose. */
type ConfiguredAccount = ProviderAccount & {
  readonly speakingModel?: string | undefined;
  readonly hearingModel?: string | undefined;
  readonly defaultVoice?: string | undefined;
  /** Sample rate of the server's audio. */
  readonly speakingRate?: number | undefined;
};

type Hosted = {
  speech: (account: ConfiguredAccount) => Promise<TextToSpeech>;
  recognition: (account: ConfiguredAccount) => Promise<SpeechToText>;
};

/** Loads only the code of the listed providers. Providers without an account or an installed program are omitted. */
export async function createSpeechProviders(
  list: readonly SpeechProvider[],
  env: Parameters<typeof accessOf>[1],
  options: { embedded?: EmbeddedSpeech; limits?: Limits } = {},
): Promise<SpeechProviders> {
  const { embedded = {}, limits = DEFAULT_LIMITS } = options;
  const voices = new Map<string, TextToSpeech>();
  const recognizers = new Map<string, SpeechToText>();
  for (const provider of list) {
    const { name, type } = provider;
    const hosted = isHosted(type)
      ? { by: HOSTED[type], account: accountOf({ ...provider, type }, env, limits) }
      : undefined;
    const voice =
      speaks(provider) &&
      (hosted ? hosted.account && (await hosted.by.speech(hosted.account)) : embedded.flite);
    const recognizer =
      recognizes(provider) &&
      (hosted ? hosted.account && (await hosted.by.recognition(hosted.account)) : embedded.pocketsphinx);
    if (voice) voices.set(name, namedVoice(voice, name));
    if (recognizer) recognizers.set(name, namedRecognition(recognizer, name));
  }
  return { speaking: (name) => choose(voices, name), hearing: (name) => choose(recognizers, name) };
}

function accountOf(
  provider: SpeechProvider & { type: HostedType },
  env: Parameters<typeof accessOf>[1],
  limits: Limits,
): ConfiguredAccount | undefined {
  const access = accessOf(provider, env);
  if (!access) return undefined;
  const { voice, transcriber } = modelsOf(provider);
  const [first] = provider.voices ?? [];
  return {
    ...access,
    limits,
    speakingModel: voice,
    hearingModel: transcriber,
    defaultVoice: typeof first === 'string' ? first : first?.voice_id,
    speakingRate: provider.sample_rate,
  };
}

function choose<T>(providers: ReadonlyMap<string, T>, name: string | undefined): Choice<T> | undefined {
  const all = [...providers.values()];
  const first = (name === undefined ? undefined : providers.get(name)) ?? all[0];
  if (first === undefined) return undefined;
  return { first, others: all.filter((provider) => provider !== first) };
}

const HOSTED: Record<HostedType, Hosted> = {
  openai: {
    speech: async (account) => (await import('./openai.ts')).createOpenAiSpeech(account),
    recognition: async (account) => (await import('./openai.ts')).createOpenAiRecognition(account),
  },
  deepgram: {
    speech: async (account) => (await import('./deepgram.ts')).createDeepgramSpeech(account),
    recognition: async (account) => (await import('./deepgram.ts')).createDeepgramRecognition(account),
  },
  elevenlabs: {
    speech: async (account) => (await import('./elevenlabs.ts')).createElevenLabsSpeech(account),
    recognition: async (account) => (await import('./elevenlabs.ts')).createElevenLabsRecognition(account),
  },
  cartesia: {
    speech: async (account) => (await import('./cartesia.ts')).createCartesiaSpeech(account),
    recognition: async (account) => (await import('./cartesia.ts')).createCartesiaRecognition(account),
  },
  google: {
    speech: async (account) => (await import('./google.ts')).createGoogleSpeech(account),
    recognition: async (account) => (await import('./google.ts')).createGoogleRecognition(account),
  },
  azure: {
    speech: async (account) => (await import('./azure.ts')).createAzureSpeech(account),
    recognition: async (account) => (await import('./azure.ts')).createAzureRecognition(account),
  },
};
