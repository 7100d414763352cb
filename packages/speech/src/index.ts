export { loadVoiceActivity, type VoiceActivityFactory } from './activity/voice-activity.ts';
export { type AnsweredBy, createBeepDetector, createMachineDetector } from './answering/detect-machine.ts';
export { checkFlite, createFlite, FLITE_VOICES } from './embedded/flite.ts';
export { checkPocketsphinx, createPocketsphinx } from './embedded/pocketsphinx.ts';
export { createFallbackSpeechToText } from './fallback/fallback-speech-to-text.ts';
export { createFallbackTextToSpeech } from './fallback/fallback-text-to-speech.ts';
export { createProviderCircuits, type ProviderCircuits } from './fallback/provider-circuits.ts';
export { createLiveModel } from './live/create-live-model.ts';
export { latencyOf } from './live/live-answers.ts';
export { createLiveConversation, type LiveConversation } from './live/live-conversation.ts';
export type { LiveModel, LiveTurn } from './live/live-model.ts';
export {
  type Recognition,
  SpeechError,
  type SpeechErrorKind,
  type SpeechStream,
  type SpeechToText,
  type SpokenWord,
  type TextToSpeech,
} from './ports.ts';
export { createRecordedRecognition, type RecordedRecognition } from './recorded/recorded-recognition.ts';
export { createSpokenPort, type SpokenEvent, type SpokenPort } from './spoken-port.ts';
export type { TurnSettings } from './turns/turn-settings.ts';
export { startAnswer } from './voice/answer.ts';
export { firstSpokenOf } from './voice/speak-text.ts';
