import type { AudioFrame, MediaSession } from '@parley/media';
import type { SpeechActivity } from '../activity/speech-activity.ts';
import { DEFAULT_TURN_SETTINGS } from '../turns/turn-settings.ts';

/**
 * Pauses an answer while the human begins to speak over it, until the provider interrupts it. After a cough, or a sound that goes on and
 * that the provider takes for noise, the answer continues.
 */
export type Hold = {
  /** Call with each frame, after `activity`. */
  push(frame: AudioFrame, isAnswering: boolean): void;
  release(): void;
};

export function createHold(media: Pick<MediaSession, 'pause'>, activity: SpeechActivity): Hold {
  let isHeld = false;
  const hold = (on: boolean): void => {
    if (on !== isHeld) media.pause('barge_in', on);
    isHeld = on;
  };
  return {
    push: ({ atMs }, isAnswering) => {
      const { isSpeaking, startedAtMs = atMs } = activity;
      hold(isAnswering && isSpeaking && atMs - startedAtMs < DEFAULT_TURN_SETTINGS.sustainedMs);
    },
    release: () => hold(false),
  };
}
