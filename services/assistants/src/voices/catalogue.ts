import {
  type LiveModelConfig,
  liveVoicesOf,
  recognizes,
  type SpeechProvider,
  speaks,
} from '@parley/speech/providers';
import { ANY_LANGUAGE, standardVoices } from './provider-voices.ts';
import type { Voice } from './voice.ts';

/** What the operator's speech providers offer: listed by `GET /v1/voice`, and allowed in configurations. */
export type VoiceCatalogue = {
  voices: readonly Voice[];
  /** The preferred ones first. */
  voiceProviders: readonly string[];
  transcriberProviders: readonly string[];
  /** Models that speak in voices of their own [assistants.23]. */
  liveModels: readonly string[];
  /** The voice of an assistant that names none. */
  defaultVoiceId: string;
};

/** Throws RangeError if the providers have no voice. */
export function createCatalogue(
  providers: readonly Omit<SpeechProvider, 'api_key'>[],
  liveModels: readonly Omit<LiveModelConfig, 'api_key'>[] = [],
): VoiceCatalogue {
  const speaking = providers.filter(speaks);
  const voices = speaking.flatMap(voicesOf);
  const [first] = voices;
  if (!first) throw new RangeError('No provider of SPEECH_PROVIDERS has a voice');
  return {
    voices: [...voices, ...liveModels.flatMap(liveVoices)],
    voiceProviders: speaking.map(({ name }) => name),
    transcriberProviders: providers.filter(recognizes).map(({ name }) => name),
    liveModels: liveModels.map(({ name }) => name),
    defaultVoiceId: first.voice_id,
  };
}

/** The operator's own voices, otherwise those that every account of the provider has. */
function voicesOf({ name, type, voices }: SpeechProvider): Voice[] {
  if (voices === undefined) return standardVoices(type).map((voice) => ({ ...voice, provider: name }));
  return voices.map((given) => {
    const own = typeof given === 'string' ? { voice_id: given } : given;
    const standard = standardVoices(type).find(({ voice_id }) => voice_id === own.voice_id);
    return {
      voice_id: own.voice_id,
      voice_name: own.voice_name ?? standard?.voice_name ?? own.voice_id,
      provider: name,
      gender: own.gender ?? standard?.gender ?? 'neutral',
      language: own.language ?? standard?.language ?? ANY_LANGUAGE,
      preview_url: own.preview_url ?? null,
    };
  });
}

function liveVoices(model: Omit<LiveModelConfig, 'api_key'>): Voice[] {
  return liveVoicesOf(model).map((id) => ({
    voice_id: id,
    voice_name: id[0]?.toUpperCase() + id.slice(1),
    provider: model.name,
    gender: 'neutral',
    language: ANY_LANGUAGE,
    preview_url: null,
  }));
}

/** The provider of a voice; of two that have the same id, the preferred one. */
export function providerOf({ voices }: VoiceCatalogue, voiceId: unknown): string | undefined {
  return voices.find(({ voice_id }) => voice_id === voiceId)?.provider;
}
