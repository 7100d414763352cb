export {
  type Recognition,
  SpeechError,
  type SpeechErrorKind,
  type SpeechStream,
  type SpeechToText,
  type TextToSpeech,
} from './ports.ts';
