import type { Entry } from './ports.ts';

/** More entries than a worker can write of one call, and room for 20,000 take-overs in an integer of Postgres. */
const GAP = 100_000;
const MOST_GAPS = 20_000;

/**
 * The place of a call's next entry. Each worker that takes the call over begins far behind the one before, so that what
 * that one may still be writing keeps its place, and neither entry is lost.
 */
export function nextSeq(record: readonly Pick<Entry, 'seq'>[], fence: number): number {
  const first = Math.min(Math.max(fence - 1, 0), MOST_GAPS) * GAP;
  return Math.max((record.at(-1)?.seq ?? -1) + 1, first);
}
