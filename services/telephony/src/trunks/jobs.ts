import { coalesce, createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type CheckTrunksDeps, createTrunkChecks } from './check-trunks.ts';
import { createPublishSources, type PublishSourcesDeps } from './publish-sources.ts';
import type { Terminations } from './terminations.store.ts';

const CHECK_EVERY_MS = 2_000;
const PUBLISH_EVERY_MS = 3_000;
/** Of several trunks whose addresses change at about the same time. */
const PUBLISH_DELAY_MS = 200;
const SWEEP_EVERY_MS = 300_000;

type Deps = Omit<CheckTrunksDeps, 'changed'> &
  PublishSourcesDeps & { terminations: Terminations; lifecycle: Lifecycle };

/** Checks trunks, updates their addresses at the edges, and removes those of deleted numbers. For workers with SIP. */
export function startTrunkJobs(deps: Deps): void {
  const { log, lifecycle, terminations } = deps;
  const publishSources = createPublishSources(deps);
  const publishing = createJobLoop({
    name: 'addresses of trunks',
    everyMs: PUBLISH_EVERY_MS,
    run: async () => {
      await publishSources();
      return false;
    },
    log,
    lifecycle,
  });
  const changed = coalesce(PUBLISH_DELAY_MS, publishing.wake);
  const checks = createTrunkChecks({ ...deps, changed }, () => checking.wake());
  lifecycle.onStop('checks of trunks', checks.drained);
  const checking = createJobLoop({
    name: 'health of trunks',
    everyMs: CHECK_EVERY_MS,
    run: checks.fill,
    log,
    lifecycle,
  });
  createJobLoop({
    name: 'trunks without numbers',
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      await terminations.sweep();
      return false;
    },
    log,
    lifecycle,
  });
}
