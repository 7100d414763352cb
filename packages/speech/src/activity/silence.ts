import { FRAME_MS, type MediaClock } from '@parley/media';
import type { SpeechActivity } from './speech-activity.ts';

/**
 * Sound without recognized words counts as speech for this long in total; longer sound is hold music or a television. A recognizer without
 * interim words may take that long.
 */
const MAX_WORDLESS_MS = 20_000;

/** Tracks since when a line has been silent. */
export type Silence = {
  /** Call with each frame, after `activity`. The sound beside an assistant that speaks is not counted. */
  push(isAssistantSpeaking: boolean): void;
  /** Words of the human were recognized: the sound is speech. */
  hearWords(): void;
  /** The silence begins now: something other than the human's voice has broken it. */
  restart(): void;
  /** Whether the human speaks; false for sound that has lasted too long without words. */
  readonly isSpeaking: boolean;
  /** Meaningless while the human or the assistant speaks. */
  readonly sinceMs: number;
};

export function createSilence(activity: SpeechActivity, clock: MediaClock): Silence {
  let sinceMs = clock.nowMs();
  let wordlessMs = 0;
  const isSpeaking = (): boolean => activity.isSpeaking && wordlessMs <= MAX_WORDLESS_MS;
  return {
    push(isAssistantSpeaking) {
      if (activity.isSpeaking && !isAssistantSpeaking) wordlessMs += FRAME_MS;
      if (isSpeaking()) sinceMs = activity.lastVoiceAtMs ?? sinceMs;
    },
    hearWords() {
      wordlessMs = 0;
    },
    restart() {
      sinceMs = clock.nowMs();
    },
    get isSpeaking() {
      return isSpeaking();
    },
    get sinceMs() {
      return sinceMs;
    },
  };
}
