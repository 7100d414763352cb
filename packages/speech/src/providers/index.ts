export { FLITE_VOICES } from '../embedded/flite.ts';
export {
  type LiveModelConfig,
  liveModelList,
  liveVoicesOf,
  takenNames,
} from '../live/live-config.ts';
export { apiKey } from './config-fields.ts';
export { createSpeechProviders, type SpeechProviders } from './create-speech-providers.ts';
export { isInstalled } from './is-installed.ts';
export {
  hasOpenAi,
  missingAccounts,
  recognizes,
  type SpeechProvider,
  speaks,
  speechAccountVariables,
  speechProviderList,
  speechProvidersOf,
} from './speech-config.ts';
