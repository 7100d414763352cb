/** The result of `say`. */
export type Spoken = {
  /** The words that the human heard. */
  text: string;
  /** The human interrupted it. */
  isInterrupted: boolean;
  /** When its first audio or text was sent, in real milliseconds since the epoch; null: nothing was sent. */
  firstAudioAtMs: number | null;
};

/** A turn of the human. */
export type Heard = {
  /** The words. Keys read `Pressed 1 2 #.` */
  text: string;
  /** `keys`: pressed instead of spoken. */
  source: 'speech' | 'keys' | 'text';
  /** 0 to 1; null: unknown. */
  confidence: number | null;
  /** Start of the speech, in real milliseconds since the epoch. */
  startedAtMs: number;
  endedAtMs: number;
};

/**
 * The conversation of a call as text, whether the leg carries text or audio. Both functions reject with the signal's reason when it aborts. What is said and
 * heard is recorded here, never by an engine.
 */
export type TextPort = {
  /**
   * Resolves when the text has been heard, or was cut off. Audio speaks a stream sentence by sentence as it arrives; text waits for
   * all of it. A stream that fails rejects if nothing of it was heard; otherwise its beginning counts as what was said.
   */
  say(text: string | AsyncIterable<string>, signal: AbortSignal): Promise<Spoken>;
  /** Resolves at the end of the human's next turn. */
  hear(signal: AbortSignal): Promise<Heard>;
};
