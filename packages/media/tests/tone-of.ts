import { tone } from '../src/testing/index.ts';

export type Side = 'left' | 'right';

export const hzOf = (side: Side, second: number): number => (side === 'left' ? 300 : 2_000) + 100 * second;

/** A second of the tone that a channel has in this second of the recording. */
export const toneOf = (side: Side, second: number, sampleRate: number): Int16Array =>
  tone(hzOf(side, second), 1_000, sampleRate);
