import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Bucket, Verdict } from './bucket.ts';

/** Of a workspace (D1.6); null: as the operator has set it for all. */
export type WorkspaceLimits = {
  requestsPerMinute: number;
  requestBurst: number | null;
  callsPerSecond: number | null;
  callBurst: number | null;
};

/** Of all workspaces that have none of their own. */
export type LimitSettings = {
  burst: number;
  callsPerSecond: number;
  callBurst: number;
  webhookTestsPerMinute: number;
};

const MINUTE_MS = 60_000;
const SESSION_REQUESTS_PER_MINUTE = 600;
/** Endpoints that create single calls share a bucket of their own (D1.6). */
const CALL_CREATION = new Set(['createPhoneCall', 'createWebCall', 'createWidgetCall']);

/**
 * The headers of every answer to a good key (D1.6), all three of one bucket, the one with the least left: what it holds,
 * what is left of it, in how many seconds it is full again. `policy` tells the pace at which it fills.
 */
export function limitHeaders({ limit, intervalMs, remaining, resetMs }: Verdict): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
    'x-ratelimit-policy': `${Math.round(MINUTE_MS / intervalMs)};w=60`,
  };
}

/** What a signed-in person does in the dashboard itself takes nothing from the workspace. */
export function bucketOfSession(sessionId: string, { burst }: Pick<LimitSettings, 'burst'>): Bucket {
  return { key: `${sessionId}:session`, intervalMs: MINUTE_MS / SESSION_REQUESTS_PER_MINUTE, burst };
}

/** The buckets that a request takes from: its workspace's, and for a new call the one of calls too. */
export function bucketsOf(
  workspaceId: string,
  limits: WorkspaceLimits,
  endpoint: AnyEndpoint | undefined,
  settings: LimitSettings,
): Bucket[] {
  const { requestsPerMinute, requestBurst } = limits;
  const requests = {
    key: `${workspaceId}:requests`,
    intervalMs: MINUTE_MS / requestsPerMinute,
    // What the operator has set for this workspace holds; what holds for all is no more than its minute.
    burst: requestBurst ?? Math.min(settings.burst, requestsPerMinute),
  };
  if (endpoint?.id === 'testWebhookEndpoint') {
    const burst = settings.webhookTestsPerMinute;
    return [requests, { key: `${workspaceId}:webhook-tests`, intervalMs: MINUTE_MS / burst, burst }];
  }
  if (!endpoint || !CALL_CREATION.has(endpoint.id)) return [requests];
  const intervalMs = 1000 / (limits.callsPerSecond ?? settings.callsPerSecond);
  const burst = limits.callBurst ?? settings.callBurst;
  return [requests, { key: `${workspaceId}:calls`, intervalMs, burst }];
}

/** `429 RATE_LIMITED` with `Retry-After`: a bucket is empty. */
export function rateLimited({ retryAfterMs }: Pick<Verdict, 'retryAfterMs'>): AppError {
  return new AppError('RATE_LIMITED', 'Too many requests; wait as long as Retry-After says', {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
}
