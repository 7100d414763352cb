import type { SpeechToText, TextToSpeech } from '@parley/speech';
import type { CallConfig } from '../assistants/call-config.ts';

/** Speech recognition and synthesis of an assistant. */
export type Speech = {
  stt: SpeechToText;
  tts: TextToSpeech;
  voice?: { voiceId?: string; speed?: number };
  /** Synthesizes what the assistant is about to say first; never rejects. */
  speakAhead?: (text: string, language: string, signal: AbortSignal) => Promise<void>;
};

/** The settings that select them. `lineRate`: samples per second of the human's audio. */
export type SpeechChoice = Pick<CallConfig, 'voice' | 'transcriber'> & {
  workspaceId: string;
  callId: string;
  lineRate: number;
};

/** Rejects with SpeechError if no configured provider serves the assistant on this line. */
export type FindSpeech = (choice: SpeechChoice) => Promise<Speech>;

/** Only synthesis, for an apology. Rejects with SpeechError if no configured provider can speak. */
export type FindVoice = (choice: Omit<SpeechChoice, 'workspaceId'>) => Promise<Pick<Speech, 'tts' | 'voice'>>;

export type HearingChoice = Pick<SpeechChoice, 'callId' | 'transcriber' | 'lineRate'>;

/** Speech recognition only, for recordings; undefined: no provider is configured. Rejects with SpeechError if none supports this line. */
export type FindHearing = (choice: HearingChoice) => Promise<SpeechToText | undefined>;
