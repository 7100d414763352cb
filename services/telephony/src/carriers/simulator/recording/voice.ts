/** The format of recordings of simulated calls: 8,000 samples per second, 16 bits. */
export const SAMPLE_RATE = 8_000;

/** Returns the samples of a spoken text, one channel. A voice may omit what would follow after `seconds`. */
export type Voice = (
  text: string,
  speaker: 'user' | 'agent',
  options: { seconds: number; signal: AbortSignal },
) => Promise<Int16Array>;
