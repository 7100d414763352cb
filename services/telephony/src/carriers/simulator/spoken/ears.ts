import { type AudioFrame, FRAME_MS, levelDb } from '@parley/media';

const VOICE_DB = -45;
/** So much voice within a quarter of a second is speech; so much silence after it is its end. */
const SPEECH_FRAMES = 5;
const WINDOW_FRAMES = 12;
const END_MS = 900;

/** Tells when the other side speaks: the simulated human knows no words. */
export type Ears = {
  hear(frame: AudioFrame): 'begun' | 'over' | undefined;
  /** Of the speech that is heard or was heard last; milliseconds of audio. */
  beganAtMs(): number;
  nowMs(): number;
  isHearing(): boolean;
};

export function createEars(): Ears {
  let recent: boolean[] = [];
  let isHearing = false;
  let silentMs = 0;
  let nowMs = 0;
  let beganAtMs = Number.NEGATIVE_INFINITY;
  return {
    beganAtMs: () => beganAtMs,
    nowMs: () => nowMs,
    isHearing: () => isHearing,
    hear: ({ samples }) => {
      nowMs += FRAME_MS;
      const isVoice = levelDb(samples) > VOICE_DB;
      recent = [...recent.slice(1 - WINDOW_FRAMES), isVoice];
      silentMs = isVoice ? 0 : silentMs + FRAME_MS;
      if (!isHearing && recent.filter(Boolean).length >= SPEECH_FRAMES) {
        isHearing = true;
        beganAtMs = nowMs;
        return 'begun';
      }
      if (isHearing && silentMs >= END_MS) {
        isHearing = false;
        return 'over';
      }
      return undefined;
    },
  };
}
