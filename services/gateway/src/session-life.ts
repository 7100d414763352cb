import type { Config } from './config.ts';
import type { SessionLife } from './domain/people/session-life.ts';

const MINUTE_MS = 60_000;

export function sessionLifeOf({ SESSION_IDLE_MINUTES, SESSION_DAYS }: Config): SessionLife {
  return { idleMs: SESSION_IDLE_MINUTES * MINUTE_MS, absoluteMs: SESSION_DAYS * 24 * 60 * MINUTE_MS };
}
