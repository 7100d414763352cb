import { type SpeechProviderName, standardVoices } from './provider-voices.ts';
import type { Voice } from './voice.ts';

/** What the operator's speech providers offer: listed by `GET /v1/voice`, and allowed in configurations. */
export type VoiceCatalogue = {
  voices: readonly Voice[];
  /** The preferred ones first. */
  voiceProviders: readonly string[];
  transcriberProviders: readonly string[];
  /** The voice of an assistant that names none. */
  defaultVoiceId: string;
};

type CatalogueOptions = {
  voiceProviders: readonly SpeechProviderName[];
  transcriberProviders: readonly SpeechProviderName[];
  /** The operator's own list: it replaces the standard voices of the providers that it has voices of. */
  ownVoices: readonly Voice[];
};

const PREFERRED_DEFAULT = 'aria';

/** Throws RangeError if the providers have no voice. */
export function createCatalogue(options: CatalogueOptions): VoiceCatalogue {
  const { voiceProviders, transcriberProviders, ownVoices } = options;
  const voices = voiceProviders.flatMap((provider) => {
    const own = ownVoices.filter((voice) => voice.provider === provider);
    return own.length > 0 ? own : standardVoices(provider);
  });
  const first = voices.find(({ voice_id }) => voice_id === PREFERRED_DEFAULT) ?? voices[0];
  if (!first) throw new RangeError('VOICE_PROVIDERS must have at least one voice');
  return { voices, voiceProviders, transcriberProviders, defaultVoiceId: first.voice_id };
}

/** The provider of a voice; of two that have the same id, the preferred one. */
export function providerOf({ voices }: VoiceCatalogue, voiceId: unknown): string | undefined {
  return voices.find(({ voice_id }) => voice_id === voiceId)?.provider;
}
