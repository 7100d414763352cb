/** The share of a workspace's live calls, and of a day's spend, that public keys cannot use [trust.8]. */
const PRIVATE_SHARE = 1 / 4;

/** What public keys may use of a limit; a limit of one has nothing to reserve. */
export function publicShare(limit: number): number {
  return limit <= 1 ? limit : limit - Math.ceil(limit * PRIVATE_SHARE);
}
