import type { Clock } from '@parley/kit/time';
import type { Config } from '../config.ts';

/** Maximum idle time and maximum age of a session, by the stack's clock [running.1]. */
export type SessionLife = { idleMs: number; absoluteMs: number };

const MINUTE_MS = 60_000;

export function sessionLifeOf({ SESSION_IDLE_MINUTES, SESSION_DAYS }: Config): SessionLife {
  return { idleMs: SESSION_IDLE_MINUTES * MINUTE_MS, absoluteMs: SESSION_DAYS * 24 * 60 * MINUTE_MS };
}

export function hasExpired(
  { lastSeenAt, expiresAt }: { lastSeenAt: Date; expiresAt: Date },
  { idleMs }: SessionLife,
  clock: Clock,
): boolean {
  const now = clock.now().getTime();
  return expiresAt.getTime() <= now || lastSeenAt.getTime() + idleMs <= now;
}
