/** Of stack time (D6.2). */
const JOINABLE_MS = 60_000;

/** When a web call that nobody has joined ends. */
export function joinableUntil(createdAt: Date): Date {
  return new Date(createdAt.getTime() + JOINABLE_MS);
}

/** Calls that were created by then can't be joined any more. */
export function joinableSince(now: Date): Date {
  return new Date(now.getTime() - JOINABLE_MS);
}
