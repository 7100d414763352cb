import type { Entry } from './ports.ts';

/** How slowly a line is spoken at most: nobody's silence begins before the assistant has ended. */
const MS_A_CHARACTER = 80;
/** Whoever takes a call over listens for so long at least: nobody has heard what was said meanwhile. Stack ms. */
const LEAST_MS = 5_000;

export type Silence = {
  timeoutMs: number;
  /** What was said or done last; null: nothing yet. */
  last: Entry | null;
  answeredAt: Date | null;
  now: Date;
};

/**
 * How much longer somebody who was waited for by another worker is waited for: each worker counts on from what is on
 * record, so that a call whose workers die again and again still ends by its silence (D3.3).
 */
export function silenceLeftMs({ timeoutMs, last, answeredAt, now }: Silence): number {
  const spokenMs = last?.role === 'agent' ? last.content.length * MS_A_CHARACTER : 0;
  const beganMs = (last?.at ?? answeredAt ?? now).getTime() + spokenMs;
  const waitedMs = Math.max(0, now.getTime() - beganMs);
  return Math.max(timeoutMs - waitedMs, Math.min(LEAST_MS, timeoutMs));
}
