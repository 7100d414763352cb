/** The share of a workspace's live calls, and of a day's spend, that public keys cannot use [trust.8]. */
const PRIVATE_SHARE = 1 / 4;

/** The part of a limit that public keys may use; a limit of one is not divided. */
export function publicShare(limit: number): number {
  return limit <= 1 ? limit : limit - Math.ceil(limit * PRIVATE_SHARE);
}
