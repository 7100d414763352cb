/** Stack time [web-calls.2]. */
const JOINABLE_MS = 60_000;

/** The end of an unjoined web call. */
export function joinableUntil(createdAt: Date): Date {
  return new Date(createdAt.getTime() + JOINABLE_MS);
}

/** Calls created before this can no longer be joined. */
export function joinableSince(now: Date): Date {
  return new Date(now.getTime() - JOINABLE_MS);
}
