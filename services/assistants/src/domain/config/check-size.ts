import type { ErrorDetail } from '@parley/contracts';
import type { JsonObject } from '../json-object.ts';

const MAX_BYTES = 256 * 1024;
const MAX_LEVELS = 32;

/**
 * What a configuration is too big or too deep for (D1.8), as it would be stored. Numbers beyond the range of a double
 * are refused too: JSON has no word for them, and they would be stored as null.
 */
export function checkSize(config: JsonObject): ErrorDetail[] {
  const found = { deep: false, infinite: false };
  walk(config, 1, found);
  const bytes = Buffer.byteLength(JSON.stringify(config));
  const problems = [
    found.deep && `must not be nested deeper than ${MAX_LEVELS} levels`,
    bytes > MAX_BYTES && `must have at most ${MAX_BYTES} bytes with its defaults (it has ${bytes})`,
    found.infinite && 'must not hold numbers beyond the range of a 64-bit float',
  ];
  return problems
    .filter((problem) => problem !== false)
    .map((problem) => ({ path: 'config', code: 'too_big', message: `config ${problem}` }));
}

/** The configuration itself is level 1. Bodies are at most 100 deep, so this recurses safely. */
function walk(value: unknown, level: number, found: { deep: boolean; infinite: boolean }): void {
  if (typeof value === 'number' && !Number.isFinite(value)) found.infinite = true;
  if (typeof value !== 'object' || value === null) return;
  if (level > MAX_LEVELS) found.deep = true;
  for (const child of Object.values(value)) walk(child, level + 1, found);
}
