import type { SpeechToText, TextToSpeech } from '../ports.ts';
import type { CartesiaAccount } from './cartesia.ts';
import type { DeepgramAccount } from './deepgram.ts';
import type { ElevenLabsAccount } from './elevenlabs.ts';
import type { OpenAiAccount } from './openai.ts';

type HostedAccounts = {
  openai?: OpenAiAccount | undefined;
  deepgram?: DeepgramAccount | undefined;
  elevenlabs?: ElevenLabsAccount | undefined;
  cartesia?: CartesiaAccount | undefined;
};

export type SpeechConfig = {
  /** Names of providers that speak, the preferred one first; `builtin`: the embedded one. */
  speaking: readonly string[];
  /** Names of providers that recognise speech, likewise. */
  hearing: readonly string[];
  accounts: HostedAccounts;
};

/** What comes with the platform, where its programs are installed. */
export type EmbeddedSpeech = { speaking?: TextToSpeech | undefined; hearing?: SpeechToText | undefined };

/** The provider of a call, and those that stand in for it, in their order. */
export type Choice<T> = { first: T; others: readonly T[] };

export type SpeechProviders = {
  /** The provider that the assistant names; without a name, or with one that isn't there, the preferred one. Undefined: there is none. */
  speaking(name?: string): Choice<TextToSpeech> | undefined;
  hearing(name?: string): Choice<SpeechToText> | undefined;
};

type Hosted = {
  speech: () => Promise<TextToSpeech> | undefined;
  recognition: () => Promise<SpeechToText> | undefined;
};

/** Loads the code of the named providers alone. Names without an account, or an embedded program, are left out. */
export async function createSpeechProviders(
  { speaking, hearing, accounts }: SpeechConfig,
  embedded: EmbeddedSpeech = {},
): Promise<SpeechProviders> {
  const hosted = hostedBy(accounts);
  const loadAll = async <T>(
    names: readonly string[],
    load: (name: string) => T | undefined | Promise<T | undefined>,
  ): Promise<Map<string, T>> => {
    const found = new Map<string, T>();
    for (const name of names) {
      const provider = await load(name);
      if (provider !== undefined) found.set(name, provider);
    }
    return found;
  };
  const voices = await loadAll(speaking, (name) =>
    name === 'builtin' ? embedded.speaking : hosted[name]?.speech(),
  );
  const ears = await loadAll(hearing, (name) =>
    name === 'builtin' ? embedded.hearing : hosted[name]?.recognition(),
  );
  return { speaking: (name) => choose(voices, name), hearing: (name) => choose(ears, name) };
}

function choose<T>(providers: ReadonlyMap<string, T>, name: string | undefined): Choice<T> | undefined {
  const all = [...providers.values()];
  const first = (name === undefined ? undefined : providers.get(name)) ?? all[0];
  if (first === undefined) return undefined;
  return { first, others: all.filter((provider) => provider !== first) };
}

function hostedBy({ openai, deepgram, elevenlabs, cartesia }: HostedAccounts): Record<string, Hosted> {
  return {
    openai: {
      speech: () => openai && import('./openai.ts').then((module) => module.createOpenAiSpeech(openai)),
      recognition: () =>
        openai && import('./openai.ts').then((module) => module.createOpenAiRecognition(openai)),
    },
    deepgram: {
      speech: () =>
        deepgram && import('./deepgram.ts').then((module) => module.createDeepgramSpeech(deepgram)),
      recognition: () =>
        deepgram && import('./deepgram.ts').then((module) => module.createDeepgramRecognition(deepgram)),
    },
    elevenlabs: {
      speech: () =>
        elevenlabs && import('./elevenlabs.ts').then((module) => module.createElevenLabsSpeech(elevenlabs)),
      recognition: () =>
        elevenlabs &&
        import('./elevenlabs.ts').then((module) => module.createElevenLabsRecognition(elevenlabs)),
    },
    cartesia: {
      speech: () =>
        cartesia && import('./cartesia.ts').then((module) => module.createCartesiaSpeech(cartesia)),
      recognition: () =>
        cartesia && import('./cartesia.ts').then((module) => module.createCartesiaRecognition(cartesia)),
    },
  };
}
