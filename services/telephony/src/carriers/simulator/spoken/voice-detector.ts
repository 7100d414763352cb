import { type AudioFrame, FRAME_MS, levelDb } from '@parley/media';

const VOICE_DB = -45;
/** Speech starts with 5 voiced frames of the last 12 (a quarter of a second) and ends after this much silence. */
const SPEECH_FRAMES = 5;
const WINDOW_FRAMES = 12;
const END_MS = 900;

/** Detects when the other side speaks: simulated humans do not recognize words. */
export type VoiceDetector = {
  hear(frame: AudioFrame): 'begun' | 'over' | undefined;
  /** When the current or last speech was detected, in milliseconds of audio. */
  beganAtMs(): number;
  /** How long the current or last speech has lasted, from its first voiced frame to the last one. */
  lastsMs(): number;
  nowMs(): number;
  isHearing(): boolean;
};

export function createVoiceDetector(): VoiceDetector {
  let recent: boolean[] = [];
  let isHearing = false;
  let silentMs = 0;
  let nowMs = 0;
  let beganAtMs = Number.NEGATIVE_INFINITY;
  let firstVoiceMs = Number.NEGATIVE_INFINITY;
  return {
    beganAtMs: () => beganAtMs,
    lastsMs: () => nowMs - silentMs - firstVoiceMs,
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
        firstVoiceMs = nowMs - (recent.length - recent.indexOf(true)) * FRAME_MS;
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
