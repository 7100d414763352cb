import { type Limiter, tightest } from './bucket.ts';
import type { OutageWatch } from './outage-watch.ts';

/** Runs a script in Redis: its keys, then its arguments. Rejects at once while Redis is away. */
export type RunScript = (script: string, keys: string[], args: number[]) => Promise<unknown>;

/**
 * `takeToken` for every bucket, on Redis' own clock, all or none. Answers per bucket `allowed, remaining, reset µs,
 * retry after µs`. Instants are microseconds, so that 1,000 a second still are whole numbers;
 * an interval is never 0, however high a workspace's limit is set.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local out, fulls, all = {}, {}, true
for i, key in ipairs(KEYS) do
  local interval, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local full = math.max(tonumber(redis.call('GET', key) or 0), now)
  local capacity, nextFull = burst * interval, full + interval
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

/** Limits over all replicas: one call to Redis per request; `fallback` judges what Redis can't (D1.6), and `watch` hears of it. */
export function createRedisLimiter(
  run: RunScript,
  prefix: string,
  fallback: Limiter,
  watch: OutageWatch,
): Limiter {
  return {
    take: async (buckets) => {
      try {
        // One hash tag, so that all buckets of a request live in one slot of a cluster.
        const keys = buckets.map(({ key }) => `${prefix}:limit:{${key.split(':')[0]}}:${key}`);
        const args = buckets.flatMap(({ intervalMs, burst }) => [
          Math.max(1, Math.round(intervalMs * 1000)),
          burst,
        ]);
        const rows = (await run(TAKE, keys, args)) as number[];
        watch.judged();
        return tightest(
          buckets.map(({ burst, intervalMs }, i) => ({
            limit: burst,
            intervalMs,
            ...readVerdict(rows.slice(4 * i, 4 * i + 4)),
          })),
        );
      } catch (err) {
        watch.failed(err);
        return fallback.take(buckets);
      }
    },
  };
}

function readVerdict([allowed = 1, remaining = 0, resetUs = 0, retryUs = 0]: number[]) {
  return { allowed: allowed === 1, remaining, resetMs: resetUs / 1000, retryAfterMs: retryUs / 1000 };
}
