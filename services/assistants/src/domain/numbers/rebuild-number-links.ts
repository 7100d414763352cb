import type { rebuildNumberLinks as contract, ResponseOf } from '@parley/contracts';
import type { NumberLinks, Numbers } from './ports.ts';

const STEP = 500;

/**
 * A step along the ids of all numbers that makes the copy equal to what telephony has, whatever messages were lost.
 * Messages go on meanwhile: a version decides which is newer. What we know is read before telephony is asked, so that a
 * number which telephony doesn't have is gone, and not just too young; and ids never come again.
 */
export async function rebuildNumberLinks(
  { numberLinks, numbers }: { numberLinks: NumberLinks; numbers: Numbers },
  after: string | null,
): Promise<ResponseOf<typeof contract>> {
  const known = await numberLinks.naming(after, STEP);
  const upTo = known.length === STEP ? (known.at(-1) ?? null) : null;
  const found = await numbers.walk({ after, upTo, limit: STEP });
  const end = found.length === STEP ? (found.at(-1)?.phoneNumberId ?? null) : upTo;
  const living = new Set(found.map(({ phoneNumberId }) => phoneNumberId));
  const gone = known.filter((id) => (end === null || id <= end) && !living.has(id));
  return {
    taken: await numberLinks.takeNewer(found),
    removed: await numberLinks.bury(gone),
    next: end,
  };
}
