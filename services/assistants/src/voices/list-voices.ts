import type {
  listModels as modelsContract,
  ResponseOf,
  listTranscribers as transcribersContract,
  listVoices as voicesContract,
} from '@parley/contracts';
import type { SpeechAvailability } from '../clients/speech-availability.ts';
import type { VoiceCatalogue } from './catalogue.ts';

export type VoiceDeps = {
  catalogue: VoiceCatalogue;
  speechAvailability: SpeechAvailability;
  /** Providers of language models, live ones included. */
  modelProviders: readonly string[];
};

/** The models of the only provider whose models don't depend on a server. */
const BUILTIN_MODELS = ['scripted-1', 'scripted-live-1'];

/** The voices of the configured providers [assistants.18]. Until telephony has responded, all configured voices count as available. */
export async function listVoices({
  catalogue,
  speechAvailability,
}: VoiceDeps): Promise<ResponseOf<typeof voicesContract>> {
  const available = await speechAvailability();
  return catalogue.voices.map((voice) => ({
    ...voice,
    available: available === undefined || available.speaks(voice.provider, voice.language),
  }));
}

/** What `config.model.provider` may be [assistants.24]. */
export function listModels({ catalogue, modelProviders }: VoiceDeps): ResponseOf<typeof modelsContract> {
  return modelProviders.map((provider) => ({
    provider,
    is_live: catalogue.liveModels.includes(provider),
    names: provider === 'builtin' ? BUILTIN_MODELS : [],
  }));
}

/** What `config.transcriber.provider` may be [assistants.24]; available as in `listVoices`. */
export async function listTranscribers({
  catalogue,
  speechAvailability,
}: VoiceDeps): Promise<ResponseOf<typeof transcribersContract>> {
  const available = await speechAvailability();
  return catalogue.transcriberProviders.map((provider) => ({
    provider,
    available: available === undefined || available.recognizing.has(provider),
  }));
}
