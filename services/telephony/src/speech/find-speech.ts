import type { SpeechToText, TextToSpeech } from '@parley/speech';
import type { CallConfig } from '../assistants/call-config.ts';

/** The ears and the voice of an assistant. */
export type Speech = {
  stt: SpeechToText;
  tts: TextToSpeech;
  voice?: { voiceId?: string; speed?: number };
};

/** Rejects with SpeechError if no configured provider serves the assistant. */
export type FindSpeech = (assistant: CallConfig) => Promise<Speech>;
