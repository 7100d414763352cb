import type { listVoices as contract, ResponseOf } from '@parley/contracts';
import type { SpeechAvailability } from '../clients/speech-availability.ts';
import type { VoiceCatalogue } from './catalogue.ts';

export type VoiceDeps = { catalogue: VoiceCatalogue; speechAvailability: SpeechAvailability };

/** The voices of the configured providers [assistants.18]. Until telephony has responded, all configured voices count as available. */
export async function listVoices({
  catalogue,
  speechAvailability,
}: VoiceDeps): Promise<ResponseOf<typeof contract>> {
  const available = await speechAvailability();
  return catalogue.voices.map((voice) => ({
    ...voice,
    available: available === undefined || available.has(voice.provider),
  }));
}
