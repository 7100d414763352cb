/** When a turn ends and what interrupts the assistant. All times in milliseconds. */
export type TurnSettings = {
  /** Silence after which the recognizer is flushed, so that its words arrive before the turn ends: `silenceMs` if that is less. */
  flushAfterMs: number;
  /** Silence that ends a turn. */
  silenceMs: number;
  /** Silence that ends a turn whose words sound unfinished: "I would like to book a table and". */
  unfinishedSilenceMs: number;
  /** Whether the human can interrupt the assistant. If not, speech over the assistant becomes the next turn. */
  interruptible: boolean;
  /** Words over the assistant interrupt from this much speech on: a shorter sound never does. */
  minSpeechMs: number;
  /** Speech over the assistant that lasts this long interrupts it, even before any words are known. */
  sustainedMs: number;
  /** The assistant continues if no words were recognized this long after speech over it has stopped. */
  falseInterruptionMs: number;
  /** "Yes" is an answer, not a backchannel, if this much or less of what the assistant says is left. */
  answerWindowMs: number;
  /** Pause that ends the entry of keys; `#` ends it at once. */
  interDigitMs: number;
};

/** Values that feel natural on the phone. */
export const DEFAULT_TURN_SETTINGS: TurnSettings = {
  flushAfterMs: 300,
  silenceMs: 700,
  unfinishedSilenceMs: 1_500,
  interruptible: true,
  minSpeechMs: 300,
  sustainedMs: 1_000,
  falseInterruptionMs: 1_500,
  answerWindowMs: 1_500,
  interDigitMs: 2_000,
};

/** The settings of a conversation. */
export function turnSettings(overrides: Partial<TurnSettings> = {}): TurnSettings {
  const settings = { ...DEFAULT_TURN_SETTINGS, ...overrides };
  return { ...settings, flushAfterMs: Math.min(settings.flushAfterMs, settings.silenceMs) };
}
