import type { SpeechActivity } from '../activity/speech-activity.ts';
import type { Listening } from './listening.ts';
import { isBackchannel } from './phrases.ts';
import type { TurnSettings } from './turn-settings.ts';

// While the assistant speaks:
//
// | state   | meaning | ends |
// | -       | -       | -    |
// | playing | the human hears the assistant | speech → held |
// | held    | the human has begun to speak; the assistant pauses until it is clear whether that interrupts it | words after `minSpeechMs`, or sustained speech → interrupted; nothing, a cough, a backchannel, or sound that goes on long after one → playing |
//
// The assistant pauses at once: if it was an interruption nothing is lost, otherwise it resumes.

/** Progress of the answer that is being spoken. */
export type SpokenProgress = {
  /** Milliseconds played so far. */
  playedMs: number;
  /** Milliseconds left to play; Infinity until everything is synthesized. */
  leftMs: number;
};

export type InterruptionActions = {
  hold(): void;
  resume(): void;
  interrupt(): void;
};

/** Decides, frame by frame, whether the human interrupts the assistant. One per answer. */
export function createInterruption(options: {
  activity: SpeechActivity;
  listening: Listening;
  settings: TurnSettings;
  language: string;
  actions: InterruptionActions;
}): { check(nowMs: number, progress: SpokenProgress): void } {
  const { activity, listening, settings, language, actions } = options;
  let isHeld = false;
  let isOver = false;
  /** Start of the sound that continues after a backchannel, such as music: without other words it no longer matters. */
  let ignoredAtMs: number | undefined;

  const hold = (): void => {
    isHeld = true;
    actions.hold();
  };
  const resume = (): void => {
    isHeld = false;
    actions.resume();
  };
  const interrupt = (): void => {
    isOver = true;
    actions.interrupt();
  };
  /** Whether the words only show that the human listens. Before the answer is audible, words belong to the previous turn. */
  const isListening = (words: string, { playedMs }: SpokenProgress): boolean =>
    playedMs > 0 && isBackchannel(words, language);
  /** A reply to the assistant's last words is a turn of its own. */
  const discardBackchannel = ({ leftMs }: SpokenProgress): void => {
    if (leftMs > settings.answerWindowMs) listening.discard();
  };
  const isLongEnough = ({ playedMs }: SpokenProgress): boolean =>
    playedMs === 0 || listening.speechMs() >= settings.minSpeechMs;

  return {
    check(nowMs, progress) {
      if (isOver) return;
      const { interruptible } = settings;
      const isIgnored = activity.startedAtMs === ignoredAtMs;
      if (interruptible && !isHeld && activity.isSpeaking && !isIgnored) hold();
      const words = listening.words();
      const isAnswer = words !== '' && !isListening(words, progress);
      if (interruptible && isAnswer && isLongEnough(progress)) return interrupt();
      if (activity.isSpeaking) {
        const lastsMs = nowMs - (activity.startedAtMs ?? nowMs);
        if (!interruptible || isIgnored || lastsMs < settings.sustainedMs) return;
        if (words === '') return interrupt();
        if (lastsMs < 2 * settings.sustainedMs) return;
        ignoredAtMs = activity.startedAtMs;
        discardBackchannel(progress);
        return resume();
      }
      if (isHeld) listening.settleSoon();
      const silentMs = nowMs - (activity.lastVoiceAtMs ?? 0);
      if (!listening.isSettled() && silentMs < settings.falseInterruptionMs) return;
      if (words !== '' && !isAnswer) discardBackchannel(progress);
      if (isHeld) resume();
    },
  };
}
