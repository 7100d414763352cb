import { z } from 'zod';
import { Problem } from '../terminal/problem.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const clockFile = z.object({ rate: z.string(), originMs: z.number() });

/**
 * The real instant from which the stack's clock runs `rate` times as fast: the first start with this rate, so that the clock
 * continues at the next start. With a new origin it would jump back, and stored times (a number's pace, retries, schedules) would be
 * hours ahead [running.1].
 */
export function clockOrigin(path: string, rate: string, nowMs: number): number {
  if (!(Number(rate) > 0)) throw new Problem(`CLOCK_RATE must be a number above 0, but is "${rate}".`);
  if (Number(rate) === 1) return nowMs;
  const kept = readJsonFile(path, clockFile);
  if (kept?.rate === rate) return kept.originMs;
  writeJsonFile(path, { rate, originMs: nowMs });
  return nowMs;
}
