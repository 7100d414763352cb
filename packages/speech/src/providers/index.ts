export {
  type Choice,
  createSpeechProviders,
  type EmbeddedSpeech,
  type SpeechConfig,
  type SpeechProviders,
} from './create-speech-providers.ts';
export {
  missingAccounts,
  SPEECH_PROVIDERS,
  speechAccountVariables,
  speechConfigOf,
  speechProviderVariables,
} from './speech-config.ts';
