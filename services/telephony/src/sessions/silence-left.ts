import type { Entry } from './ports.ts';

/** The slowest speech: silence begins when the assistant has finished its line. */
const MS_A_CHARACTER = 80;
/** The minimum wait after a take-over, during which no worker listened. Stack ms. */
const MIN_MS = 5_000;

export type Silence = {
  timeoutMs: number;
  /** The last entry of the record; null: none yet. */
  last: Entry | null;
  answeredAt: Date | null;
  now: Date;
};

/**
 * The rest of the silence timeout when another worker began the wait: each continues from the record, so that a call whose
 * workers die repeatedly still ends by silence [assistants.10].
 */
export function silenceLeftMs({ timeoutMs, last, answeredAt, now }: Silence): number {
  const spokenMs = last?.role === 'agent' ? last.content.length * MS_A_CHARACTER : 0;
  const beganMs = (last?.at ?? answeredAt ?? now).getTime() + spokenMs;
  const waitedMs = Math.max(0, now.getTime() - beganMs);
  return Math.max(timeoutMs - waitedMs, Math.min(MIN_MS, timeoutMs));
}
