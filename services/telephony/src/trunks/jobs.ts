import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type CheckTrunksDeps, checkTrunks } from './check-trunks.ts';
import type { Terminations } from './terminations.store.ts';
import { createUpdateEdges, type UpdateEdgesDeps } from './update-edges.ts';

const CHECK_EVERY_MS = 2_000;
const UPDATE_EVERY_MS = 3_000;
const SWEEP_EVERY_MS = 300_000;

type Deps = Omit<CheckTrunksDeps, 'changed'> &
  UpdateEdgesDeps & { terminations: Terminations; lifecycle: Lifecycle };

/** Checks trunks, updates their addresses at the edges, and removes those of deleted numbers. For workers with SIP. */
export function startTrunkJobs(deps: Deps): void {
  const { log, lifecycle, terminations } = deps;
  const updateEdges = createUpdateEdges(deps);
  const updating = createJobLoop({
    name: 'addresses of trunks',
    everyMs: UPDATE_EVERY_MS,
    run: async () => {
      await updateEdges();
      return false;
    },
    log,
    lifecycle,
  });
  createJobLoop({
    name: 'health of trunks',
    everyMs: CHECK_EVERY_MS,
    run: () => checkTrunks({ ...deps, changed: updating.wake }),
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
