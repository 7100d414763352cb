import { type AudioFrame, FRAME_MS, levelDb } from '@parley/media';
import type { VoiceActivity } from './voice-activity.ts';

// Single frames are unreliable: a click is taken for voice, and a stop consonant for silence. Speech starts with several voiced frames
// close together, and stops after a while without any. Both times are corrected to those of the voice itself.

/** Speech starts when this many of the last `WINDOW` frames are voiced. */
const VOICED_TO_START = 4;
const WINDOW = 6;
/** Speech stops after this long without a voiced frame: longer than the closure of a consonant. */
const STOP_AFTER_MS = 200;
/** Voice is louder than this, and than the background by `ABOVE_BACKGROUND_DB`. */
const MIN_LEVEL_DB = -50;
const ABOVE_BACKGROUND_DB = 6;
const MIN_BACKGROUND_DB = -65;
const BACKGROUND_RISE_DB = 0.01;

/** Tracks when the human speaks. Times are those of the frames. */
export type SpeechActivity = {
  push(frame: AudioFrame): 'started' | 'stopped' | undefined;
  readonly isSpeaking: boolean;
  /** Start of the current or last stretch of speech; undefined before the first one. */
  readonly startedAtMs: number | undefined;
  /** End of the last voiced frame that belongs to speech; undefined before the first one. */
  readonly lastVoiceAtMs: number | undefined;
};

export function createSpeechActivity(voice: VoiceActivity): SpeechActivity {
  /** Start times of the voiced frames among the last `WINDOW`. */
  let recent: number[] = [];
  let background = MIN_LEVEL_DB;
  let isSpeaking = false;
  let startedAtMs: number | undefined;
  let lastVoiceAtMs: number | undefined;

  const isVoiced = ({ samples, source }: AudioFrame): boolean => {
    if (source === 'silence') return false;
    const voiced = voice.isVoice(samples);
    const level = Math.max(MIN_BACKGROUND_DB, levelDb(samples));
    background = Math.min(level, background + BACKGROUND_RISE_DB);
    return voiced && level > MIN_LEVEL_DB && level > background + ABOVE_BACKGROUND_DB;
  };

  return {
    push(frame) {
      const endMs = frame.atMs + FRAME_MS;
      const voiced = isVoiced(frame);
      recent = recent.filter((atMs) => atMs > frame.atMs - WINDOW * FRAME_MS);
      if (voiced) recent.push(frame.atMs);
      if (isSpeaking) {
        if (voiced) lastVoiceAtMs = endMs;
        if (endMs - (lastVoiceAtMs ?? 0) < STOP_AFTER_MS) return undefined;
        isSpeaking = false;
        return 'stopped';
      }
      if (!voiced || recent.length < VOICED_TO_START) return undefined;
      isSpeaking = true;
      startedAtMs = recent[0];
      lastVoiceAtMs = endMs;
      return 'started';
    },
    get isSpeaking() {
      return isSpeaking;
    },
    get startedAtMs() {
      return startedAtMs;
    },
    get lastVoiceAtMs() {
      return lastVoiceAtMs;
    },
  };
}
