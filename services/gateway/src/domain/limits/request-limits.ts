import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { KnownKey } from '../keys/ports.ts';
import type { Bucket, Verdict } from './bucket.ts';

export type LimitSettings = {
  burst: number;
  callsPerSecond: number;
  callBurst: number;
  webhookTestsPerMinute: number;
};

/** Endpoints that create single calls share a bucket of their own (D1.6). */
const CALL_CREATION = new Set(['createPhoneCall', 'createWebCall', 'createWidgetCall']);

/** The headers of every answer to a good key (D1.6). `reset`: seconds until the bucket is full again. */
export function limitHeaders(limit: number, { remaining, resetMs }: Verdict): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  };
}

/** The buckets that a request takes from: its workspace's, and for a new call the one of calls too. */
export function bucketsOf(key: KnownKey, endpoint: AnyEndpoint, settings: LimitSettings): Bucket[] {
  const requests = {
    key: `${key.workspaceId}:requests`,
    intervalMs: 60_000 / key.requestsPerMinute,
    burst: Math.min(settings.burst, key.requestsPerMinute),
  };
  if (endpoint.id === 'testWebhookEndpoint') {
    const burst = settings.webhookTestsPerMinute;
    return [requests, { key: `${key.workspaceId}:webhook-tests`, intervalMs: 60_000 / burst, burst }];
  }
  if (!CALL_CREATION.has(endpoint.id)) return [requests];
  const intervalMs = 1000 / settings.callsPerSecond;
  return [requests, { key: `${key.workspaceId}:calls`, intervalMs, burst: settings.callBurst }];
}

/** `429 RATE_LIMITED` with `Retry-After`: a bucket is empty. */
export function rateLimited({ retryAfterMs }: Verdict): AppError {
  return new AppError('RATE_LIMITED', 'Too many requests; wait as long as Retry-After says', {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
}
