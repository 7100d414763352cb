/** Text media of a leg. Both functions reject with the signal's reason when it aborts. */
export type TextPort = {
  /** Resolves when the text has been spoken. */
  say(text: string, signal: AbortSignal): Promise<void>;
  /** Resolves with the human's next utterance. */
  hear(signal: AbortSignal): Promise<string>;
};
