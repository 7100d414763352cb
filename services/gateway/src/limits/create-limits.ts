import type { Log } from '@parley/kit/log';
import type { Metrics } from '@parley/kit/observability';
import { type connectRedis, scriptRunner } from '@parley/kit/redis';
import type { Config } from '../config.ts';
import { createLocalGuessCounts, createRedisGuessCounts } from './guess-counts.ts';
import { knownRefusals } from './known-refusals.ts';
import { createFailureLimit } from './limit-failures.ts';
import { createGuessLimit } from './limit-guesses.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { createFallback, createRedisLimiter } from './redis-limiter.ts';
import { slowRefusals } from './slow-refusals.ts';

type Deps = { config: Config; redis: Awaited<ReturnType<typeof connectRedis>>; metrics: Metrics; log: Log };

/** Limits that all replicas share through Redis; while it is unavailable, each process counts locally. */
export function createLimits({ config, redis, metrics, log }: Deps) {
  metrics.gauge('parley_redis_up', 'Whether Redis responds; limits are local without it', [], (gauge) =>
    gauge.set(Number(redis.isUp())),
  );
  const appliedLocally = metrics.counter(
    'parley_limits_applied_locally_total',
    'Requests limited locally because Redis was unavailable',
  );
  const wrongPasswords = metrics.counter(
    'parley_wrong_passwords_total',
    'Wrong passwords for accounts that exist',
  );
  const alarms = metrics.counter(
    'parley_sign_in_alarms_total',
    'Wrong passwords beyond SIGN_IN_ALARM_PER_ACCOUNT_AND_HOUR for one account',
  );
  const runScript = scriptRunner(redis.client);
  const orElse = createFallback(log, () => appliedLocally.inc());
  const shared = createRedisLimiter(runScript, config.REDIS_PREFIX, createLocalLimiter(), orElse);
  const limiter = slowRefusals(knownRefusals(shared));
  return {
    limiter,
    failures: createFailureLimit(limiter, config.FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE),
    guesses: createGuessLimit({
      counts: createRedisGuessCounts(runScript, config.REDIS_PREFIX, createLocalGuessCounts(), orElse),
      limiter,
      log,
      alarmPerAccountAndHour: config.SIGN_IN_ALARM_PER_ACCOUNT_AND_HOUR,
      onWrong: () => wrongPasswords.inc(),
      onAlarm: () => alarms.inc(),
    }),
  };
}
