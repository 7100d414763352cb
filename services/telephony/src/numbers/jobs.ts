import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import {
  type FillInTrunksDeps,
  fillInTerminations,
  fillInTrunks,
  type RemoveTrunksDeps,
  removeTrunks,
} from './trunks.ts';

const FILL_IN_EVERY_MS = 600_000;
const REMOVE_EVERY_MS = 2_000;

/** Records the trunks of old numbers, and removes those of deleted numbers. */
export function startNumberJobs(deps: FillInTrunksDeps & RemoveTrunksDeps & { lifecycle: Lifecycle }): void {
  const { log, lifecycle } = deps;
  createJobLoop({
    name: 'trunks of numbers',
    everyMs: FILL_IN_EVERY_MS,
    run: async () => {
      await fillInTrunks(deps);
      await fillInTerminations(deps);
      return false;
    },
    log,
    lifecycle,
  });
  createJobLoop({
    name: 'trunks of deleted numbers',
    everyMs: REMOVE_EVERY_MS,
    run: () => removeTrunks(deps),
    log,
    lifecycle,
  });
}
