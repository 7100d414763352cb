import { coalesce, createJobLoop } from '@parley/kit/concurrency';
import { createIdempotencySweep } from '@parley/kit/idempotency';
import { reconcile } from './attempts/reconcile.ts';
import { completeDone } from './campaigns/complete.ts';
import { moveByClock } from './campaigns/move-by-clock.ts';
import { withdrawPending } from './campaigns/withdraw.ts';
import type { Context } from './context.ts';
import { dispatch } from './dispatch/dispatch.ts';

/** Slots freed within this time are assigned together: a round costs the same for one and for hundreds. */
const DISPATCH_DELAY_MS = 100;

/** Runs in every replica. Each loop reads its work from the database, so any number of processes may run it. */
export function startJobs(context: Context): void {
  const { log, lifecycle, metrics, dispatchWakeUp, withdrawWakeUp, idempotencyStore, retirements } = context;
  const dials = metrics.counter('parley_campaign_dials_requested_total', 'Dials requested from telephony');
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    createJobLoop({ name, everyMs, run, log, lifecycle });

  const dispatcher = loop('dispatch', 200, async () => {
    dials.inc(await dispatch(context));
    return false;
  });
  dispatchWakeUp.onWake(coalesce(DISPATCH_DELAY_MS, dispatcher.wake));

  const withdrawals = loop('withdrawals', 1_000, () => withdrawPending(context));
  withdrawWakeUp.onWake(withdrawals.wake);

  // A campaign starts within a second of its schedule.
  loop('clock', 250, () => moveByClock(context));
  loop('completion', 2_000, () => completeDone(context));
  loop('reconciler', 1_000, () => reconcile(context));
  createIdempotencySweep({ store: idempotencyStore, log, lifecycle });
  loop('retirement sweep', 3_600_000, async () => {
    await retirements.sweep();
    return false;
  });
}
