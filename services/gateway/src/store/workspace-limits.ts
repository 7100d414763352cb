import type { WorkspaceLimits } from '../domain/limits/request-limits.ts';

/** The columns of a workspace that every request needs. */
export const LIMIT_COLUMNS = {
  requestsPerMinute: true,
  requestBurst: true,
  callsPerSecond: true,
  callBurst: true,
} as const satisfies Record<keyof WorkspaceLimits, true>;
