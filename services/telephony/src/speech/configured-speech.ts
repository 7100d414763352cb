import { type SpeechProvider, speechProvidersOf } from '@parley/speech/providers';
import type { Config } from '../config.ts';

export type SpeechVariables = Pick<Config, 'OPENAI_BASE_URL' | 'OPENAI_API_KEY'> & {
  SPEECH_PROVIDERS?: readonly SpeechProvider[] | undefined;
};

/** The providers of the configuration, the preferred ones first [running.12]. */
export function configuredSpeech(config: SpeechVariables): readonly SpeechProvider[] {
  return speechProvidersOf(config.SPEECH_PROVIDERS, config);
}
