export { createAzureDouble } from './azure-double.ts';
export { createCartesiaDouble } from './cartesia-double.ts';
export { createDeepgramDouble } from './deepgram-double.ts';
export { createElevenLabsDouble } from './elevenlabs-double.ts';
export { createGoogleDouble } from './google-double.ts';
export { createOpenAiDouble } from './openai-double.ts';
export type { Behaviour, ProviderDouble } from './provider-double.ts';
export { MS_PER_CHARACTER } from './spoken-audio.ts';
