import { z } from 'zod';
import { Problem } from '../terminal/problem.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const clockFile = z.object({ rate: z.string(), originMs: z.number() });

/**
 * The real instant from which the stack's clock runs `rate` times as fast: that of the first start with this rate, so
 * that the next start goes on where the last one was. With an origin of its own it would jump back, and what is stored
 * (the number's pace, retries, schedules) would lie hours ahead [running.1].
 */
export function clockOrigin(path: string, rate: string, nowMs: number): number {
  if (!(Number(rate) > 0)) throw new Problem(`CLOCK_RATE must be a number above 0, and is "${rate}".`);
  if (Number(rate) === 1) return nowMs;
  const kept = readJsonFile(path, clockFile);
  if (kept?.rate === rate) return kept.originMs;
  writeJsonFile(path, { rate, originMs: nowMs });
  return nowMs;
}
