import type { Log } from '@parley/kit/log';
import { type Bucket, type Limiter, MAX_DEBT, tightest } from './bucket.ts';

/**
 * Runs a call to Redis, or `local` if it fails. Counts the requests that were limited locally, and logs when Redis becomes unavailable and
 * available again.
 */
export function createFallback(log: Log, count: () => void) {
  let isAway = false;
  return async <T>(shared: () => Promise<T>, local: () => Promise<T>): Promise<T> => {
    try {
      const result = await shared();
      if (isAway) log.info('Redis available: limits are shared again');
      isAway = false;
      return result;
    } catch (err) {
      count();
      if (!isAway) log.warn({ err }, 'Redis unavailable: limits are local');
      isAway = true;
      return local();
    }
  };
}

export type Fallback = ReturnType<typeof createFallback>;

/** Runs a Redis script with keys and arguments. Rejects at once while Redis is unavailable. */
export type RunScript = (script: string, keys: string[], args: number[]) => Promise<unknown>;

/**
 * `takeToken` for every bucket by Redis' clock, all or none. Returns `allowed, remaining, reset µs, retry after µs`
 * per bucket. Instants are microseconds, so that intervals of high limits are whole numbers and never 0.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local out, fulls, all = {}, {}, true
for i, key in ipairs(KEYS) do
  local interval, burst, cost = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local full = math.max(tonumber(redis.call('GET', key) or 0), now)
  local capacity, nextFull = burst * interval, full + math.min(cost, burst) * interval
  local allowed = nextFull - now <= capacity
  local after = allowed and nextFull or full
  all = all and allowed
  fulls[i] = after
  out[#out + 1] = allowed and 1 or 0
  out[#out + 1] = math.max(0, math.floor((capacity - (after - now)) / interval))
  out[#out + 1] = after - now
  out[#out + 1] = allowed and 0 or nextFull - now - capacity
end
if all then
  for i, key in ipairs(KEYS) do
    redis.call('SET', key, string.format('%.0f', fulls[i]), 'PX', math.ceil((fulls[i] - now) / 1000) + 1000)
  end
end
return out`;

/** `chargeTokens` for every bucket. */
const CHARGE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for i, key in ipairs(KEYS) do
  local interval, burst, cost = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local full = math.max(tonumber(redis.call('GET', key) or 0), now) + cost * interval
  full = math.min(full, now + (1 + ${MAX_DEBT}) * burst * interval)
  redis.call('SET', key, string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000) + 1000)
end
return 1`;

/** Limits shared by all replicas, with one call to Redis per request; `local` is used while Redis is unavailable. */
export function createRedisLimiter(
  run: RunScript,
  prefix: string,
  local: Limiter,
  orElse: Fallback,
): Limiter {
  // One hash tag, so that all buckets of a request are in one slot of a cluster.
  const keysOf = (buckets: readonly Bucket[]): string[] =>
    buckets.map(({ key }) => `${prefix}:limit:{${key.split(':')[0]}}:${key}`);
  const argsOf = (buckets: readonly Bucket[]): number[] =>
    buckets.flatMap(({ intervalMs, burst, cost = 1 }) => [
      Math.max(1, Math.round(intervalMs * 1000)),
      burst,
      cost,
    ]);
  return {
    charge: (buckets) =>
      orElse(
        async () => void (await run(CHARGE, keysOf(buckets), argsOf(buckets))),
        () => local.charge(buckets),
      ),
    take: (buckets) =>
      orElse(
        async () => {
          const rows = (await run(TAKE, keysOf(buckets), argsOf(buckets))) as number[];
          return tightest(
            buckets.map(({ burst, intervalMs }, i) => ({
              limit: burst,
              intervalMs,
              ...readVerdict(rows.slice(4 * i, 4 * i + 4)),
            })),
          );
        },
        () => local.take(buckets),
      ),
  };
}

function readVerdict([allowed = 1, remaining = 0, resetUs = 0, retryUs = 0]: number[]) {
  return { allowed: allowed === 1, remaining, resetMs: resetUs / 1000, retryAfterMs: retryUs / 1000 };
}
