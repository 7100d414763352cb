/** Media of a carrier that speaks text: what the two ends say. Both reject with the signal's reason when it aborts. */
export type TextPort = {
  /** Resolves when it has been said. */
  say(text: string, signal: AbortSignal): Promise<void>;
  /** The human's next line. */
  hear(signal: AbortSignal): Promise<string>;
};
