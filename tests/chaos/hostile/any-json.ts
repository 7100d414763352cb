import type { Random } from '@parley/testkit/load';

const STRINGS = [
  ...[
    '',
    ' ',
    'a',
    '__proto__',
    'constructor',
    '{{x}}',
    '\u0000',
    '\ud800',
    '語'.repeat(100),
    'x'.repeat(5_000),
  ],
  ...[
    '+15550100704',
    '+1',
    '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
    '2026-02-30T25:61:00Z',
    'https://127.0.0.1/',
  ],
  ...["'; DROP TABLE calls; --", '%', '../../etc/passwd', 'http://169.254.169.254/', 'NaN', '-1', '1e999'],
] as const;
const NUMBERS = [0, -1, 1, 0.1, -0, 2 ** 31, 2 ** 53, 1e308, -1e308, 5e-324] as const;

/** A random JSON value with at most `levels` levels. */
export function anyJson(random: Random, levels = 3): unknown {
  const kind = random.pick(['string', 'string', 'number', 'null', 'true', 'list', 'object'] as const);
  if (kind === 'string') return random.pick([...STRINGS] as [string, ...string[]]);
  if (kind === 'number') return random.pick([...NUMBERS] as [number, ...number[]]);
  if (kind === 'null') return null;
  if (kind === 'true' || levels === 0) return random.chance(0.5);
  const count = Math.floor(random.upTo(5));
  const items = Array.from({ length: count }, () => anyJson(random, levels - 1));
  if (kind === 'list') return items;
  return Object.fromEntries(items.map((item) => [String(anyJson(random, 0)), item]));
}

/** The value with one random change: a part replaced, omitted or duplicated. */
export function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return anyJson(random);
  if (Array.isArray(value)) {
    const at = Math.floor(random.upTo(value.length + 1));
    return value.flatMap((item, index) => (index === at ? [mutate(item, random), item] : [item]));
  }
  const entries = Object.entries(value);
  const at = Math.floor(random.upTo(entries.length));
  if (random.chance(0.2)) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([name, field], index) => [name, index === at ? mutate(field, random) : field]),
  );
}
