import type { rebuildNumberLinks as contract, ResponseOf } from '@parley/contracts';
import type { Numbers } from '../clients/telephony.ts';
import type { NumberLinks } from './number-links.store.ts';

const STEP = 500;

/**
 * Repairs one step of the copy of telephony's numbers after lost messages, in the order of their ids. Messages are consumed
 * concurrently; versions decide which state is newer. Our ids are read before telephony's, so that a number that telephony
 * does not have was deleted and is not just new; ids are never reused.
 */
export async function rebuildNumberLinks(
  { numberLinks, numbers }: { numberLinks: NumberLinks; numbers: Numbers },
  after: string | null,
): Promise<ResponseOf<typeof contract>> {
  const known = await numberLinks.listAssigned(after, STEP);
  const upTo = known.length === STEP ? (known.at(-1) ?? null) : null;
  const found = await numbers.walk({ after, upTo, limit: STEP });
  const end = found.length === STEP ? (found.at(-1)?.phoneNumberId ?? null) : upTo;
  const living = new Set(found.map(({ phoneNumberId }) => phoneNumberId));
  const gone = known.filter((id) => (end === null || id <= end) && !living.has(id));
  return {
    taken: await numberLinks.storeNewer(found),
    removed: await numberLinks.retire(gone),
    next: end,
  };
}
