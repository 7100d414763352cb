/** What the recordings of simulated calls are made of: 8,000 samples a second, 16 bits. */
export const SAMPLE_RATE = 8_000;

/** Says something: its samples, one channel. */
export type Voice = (text: string, speaker: 'user' | 'agent', signal: AbortSignal) => Promise<Int16Array>;
