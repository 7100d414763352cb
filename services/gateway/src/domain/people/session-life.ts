import type { Clock } from '@parley/kit/time';

/** How long a session lasts unused, and in all; in the time of the stack (D9). */
export type SessionLife = { idleMs: number; absoluteMs: number };

export function isOver(
  { lastSeenAt, expiresAt }: { lastSeenAt: Date; expiresAt: Date },
  { idleMs }: SessionLife,
  clock: Clock,
): boolean {
  const now = clock.now().getTime();
  return expiresAt.getTime() <= now || lastSeenAt.getTime() + idleMs <= now;
}
