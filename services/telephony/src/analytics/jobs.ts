import { createJobLoop } from '@parley/kit/concurrency';
import type { SqlClient } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { countCalls } from './count-calls.store.ts';

const COUNT_EVERY_MS = 1_000;

/** Adds completed calls to the rollups [analytics.6]. Reads include calls that are not added yet, so the job may lag. */
export function startAnalyticsJobs(deps: { sql: SqlClient; log: Log; lifecycle: Lifecycle }): void {
  const { sql, log, lifecycle } = deps;
  createJobLoop({
    name: 'rollups of calls',
    everyMs: COUNT_EVERY_MS,
    run: () => countCalls(sql),
    log,
    lifecycle,
  });
}
