import type { AnyEndpoint, KeySettings } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { networkOf } from '@parley/kit/outbound';
import type { Bucket, Verdict } from './bucket.ts';
import { digestOf } from './networks.ts';
import { bucketOfUploads } from './request-weight.ts';

/** Limits of a workspace [general.18]; null: the default of the installation. */
export type WorkspaceLimits = {
  requestsPerMinute: number;
  requestBurst: number | null;
  callsPerSecond: number | null;
  callBurst: number | null;
  /** Null: not suspended [trust.24]. */
  suspendedAt?: Date | null;
  /** Quota and estimated storage; null: no quota. */
  maxStoredMb: number | null;
  storedMb: number;
};

/** Defaults of the installation. */
export type LimitSettings = {
  burst: number;
  callsPerSecond: number;
  callBurst: number;
  webhookTestsPerMinute: number;
  testTurnsPerMinute: number;
  uploadMibPerMinute: number;
};

const MINUTE_MS = 60_000;
const PERSON_REQUESTS_PER_MINUTE = 600;
/** A page is up to a dozen requests, and several may be opened at once. */
const PERSON_BURST = 200;
const REFUSED_PER_MINUTE = 60;
/** Endpoints that create single calls share a bucket [general.18]. */
const CALL_CREATION = new Set(['createPhoneCall', 'createWebCall', 'createWidgetCall']);
/** So do those that use models and tools without a call [dashboard.13]. */
const TEST_TURNS = new Set(['testAssistant', 'streamAssistantTest', 'testTool']);

/**
 * Headers of every response to an authenticated request [general.17], all of the bucket with the fewest tokens left: its
 * capacity, its tokens, the seconds until it is full, and (`policy`) its rate.
 */
export function limitHeaders({ limit, intervalMs, remaining, resetMs }: Verdict): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
    'x-ratelimit-policy': `${Math.round(MINUTE_MS / intervalMs)};w=60`,
  };
}

/**
 * The requests of a person's sessions, in all workspaces [general.27]: pages stay usable while an integration has used up its workspace's
 * requests, and take nothing from them.
 */
export function bucketOfPerson(personId: string, { burst }: Pick<LimitSettings, 'burst'>): Bucket {
  const intervalMs = MINUTE_MS / PERSON_REQUESTS_PER_MINUTE;
  return { key: `${personId}:person`, intervalMs, burst: Math.max(burst, PERSON_BURST), byWeight: true };
}

/** The requests of a workspace's private keys. */
export function bucketOfKeys(
  workspaceId: string,
  { requestsPerMinute, requestBurst }: WorkspaceLimits,
  settings: LimitSettings,
): Bucket {
  return {
    key: `${workspaceId}:requests`,
    intervalMs: MINUTE_MS / requestsPerMinute,
    // The workspace's own burst applies unchanged; the default is at most a minute's requests.
    burst: requestBurst ?? Math.min(settings.burst, requestsPerMinute),
    byWeight: true,
  };
}

/** `requests`, and what the workspace's keys and people share: the buckets of new calls, uploads and tests. */
export function bucketsOf(
  requests: Bucket,
  workspaceId: string,
  limits: WorkspaceLimits,
  endpoint: AnyEndpoint | undefined,
  settings: LimitSettings,
): Bucket[] {
  if (endpoint?.body === 'stream') return [requests, bucketOfUploads(workspaceId, settings)];
  if (endpoint?.id === 'testWebhookEndpoint') {
    const burst = settings.webhookTestsPerMinute;
    return [requests, { key: `${workspaceId}:webhook-tests`, intervalMs: MINUTE_MS / burst, burst }];
  }
  if (endpoint && TEST_TURNS.has(endpoint.id)) {
    const burst = settings.testTurnsPerMinute;
    return [requests, { key: `${workspaceId}:test-turns`, intervalMs: MINUTE_MS / burst, burst }];
  }
  if (!endpoint || !CALL_CREATION.has(endpoint.id)) return [requests];
  const intervalMs = 1000 / (limits.callsPerSecond ?? settings.callsPerSecond);
  const burst = limits.callBurst ?? settings.callBurst;
  return [requests, { key: `${workspaceId}:calls`, intervalMs, burst }];
}

type PublicKeyRequest = {
  workspaceId: string;
  limits: WorkspaceLimits;
  key: { id: string; settings: Pick<KeySettings, 'calls_per_minute' | 'calls_per_minute_per_address'> };
  address: string;
  /** Rejected requests use separate buckets. */
  isRefused: boolean;
};

/**
 * The buckets of a public key [trust.8], apart from those of private keys: of the key, of the key from one address,
 * and of all public keys of the workspace together, which get as much as all private ones.
 */
export function bucketsOfPublicKey(
  { workspaceId, limits, key, address, isRefused }: PublicKeyRequest,
  settings: LimitSettings,
): Bucket[] {
  const what = isRefused ? 'refused' : 'calls';
  const own = `${workspaceId}:public:${key.id}:${what}`;
  const perMinute = (name: string, count: number | null, burst = count): Bucket => ({
    key: name,
    intervalMs: MINUTE_MS / (count ?? 1),
    burst: burst ?? 1,
  });
  const { requestsPerMinute, requestBurst } = limits;
  const burstOfAll = requestBurst ?? Math.min(settings.burst, requestsPerMinute);
  return [
    perMinute(`${own}:${digestOf(networkOf(address))}`, key.settings.calls_per_minute_per_address),
    perMinute(own, key.settings.calls_per_minute),
    { ...perMinute(`${workspaceId}:public:${what}`, requestsPerMinute, burstOfAll), byWeight: true },
  ];
}

/** For a private key that is used from a network outside of its `allowed_networks`: a stolen key takes nothing from the workspace's buckets. */
export function bucketOfRefused(workspaceId: string, keyId: string): Bucket {
  return {
    key: `${workspaceId}:refused:${keyId}`,
    intervalMs: MINUTE_MS / REFUSED_PER_MINUTE,
    burst: REFUSED_PER_MINUTE,
  };
}

export function rateLimited({ retryAfterMs }: Pick<Verdict, 'retryAfterMs'>): AppError {
  return new AppError('RATE_LIMITED', 'Too many requests; retry after the delay in Retry-After', {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
}
