import { recognizes, type SpeechProvider, speaks } from '@parley/speech/providers';

/** What a provider supports now: an embedded one nothing until its program is installed. */
export type AvailableSpeech = {
  name: string;
  speaks: boolean;
  recognises: boolean;
  /** The languages that it speaks, without regions (`en`); missing: any. */
  languages?: string[];
};

/** The voices of flite, and the acoustic model of pocketsphinx. */
const EMBEDDED_LANGUAGES = ['en'];

type Deps = {
  providers: readonly SpeechProvider[];
  /** Live models, which have voices but only take calls with audio. */
  liveModels: readonly { name: string }[];
  /** False: calls are text, in which a voice is only a name. */
  hasAudio: boolean;
  /** Whether the program of an embedded provider is installed. */
  isInstalled: (program: 'flite' | 'pocketsphinx') => Promise<boolean>;
};

/** Whether there are providers for both directions. Loads no provider, since most workers never carry audio. */
export async function hasSpeech(deps: Omit<Deps, 'hasAudio' | 'liveModels'>): Promise<boolean> {
  const all = await availableSpeech({ ...deps, liveModels: [], hasAudio: true });
  return all.some((one) => one.speaks) && all.some((one) => one.recognises);
}

/** Availability per provider, for the list of voices [assistants.18]. */
export async function availableSpeech({
  providers,
  liveModels,
  hasAudio,
  isInstalled,
}: Deps): Promise<AvailableSpeech[]> {
  const [flite, pocketsphinx] = await Promise.all([isInstalled('flite'), isInstalled('pocketsphinx')]);
  const spoken = providers.map((provider) => {
    const isEmbedded = ['builtin', 'flite', 'pocketsphinx'].includes(provider.type);
    const mayBeMissing = provider.type === 'builtin' ? hasAudio : isEmbedded;
    return {
      name: provider.name,
      speaks: speaks(provider) && (!mayBeMissing || flite),
      recognises: recognizes(provider) && (!mayBeMissing || pocketsphinx),
      ...(mayBeMissing && { languages: EMBEDDED_LANGUAGES }),
    };
  });
  return [...spoken, ...liveModels.map(({ name }) => ({ name, speaks: hasAudio, recognises: false }))];
}
