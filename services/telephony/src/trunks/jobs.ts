import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type CheckTrunksDeps, checkTrunks } from './check-trunks.ts';
import { createTellEdges, type TellEdgesDeps } from './tell-edges.ts';
import type { Terminations } from './terminations.store.ts';

const CHECK_EVERY_MS = 2_000;
const TELL_EVERY_MS = 3_000;
const SWEEP_EVERY_MS = 300_000;

type Deps = Omit<CheckTrunksDeps, 'changed'> &
  TellEdgesDeps & { terminations: Terminations; lifecycle: Lifecycle };

/** Checks trunks, updates their addresses at the edges, and removes those of deleted numbers. For workers with SIP. */
export function startTrunkJobs(deps: Deps): void {
  const { log, lifecycle, terminations } = deps;
  const tellEdges = createTellEdges(deps);
  const telling = createJobLoop({
    name: 'addresses of trunks',
    everyMs: TELL_EVERY_MS,
    run: async () => {
      await tellEdges();
      return false;
    },
    log,
    lifecycle,
  });
  createJobLoop({
    name: 'health of trunks',
    everyMs: CHECK_EVERY_MS,
    run: () => checkTrunks({ ...deps, changed: telling.wake }),
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
