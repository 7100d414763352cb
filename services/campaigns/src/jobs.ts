import { coalesce, createLoop } from '@parley/kit/jobs';
import type { Context } from './context.ts';
import { completeDone } from './domain/complete.ts';
import { dispatch } from './domain/dispatch.ts';
import { moveByClock } from './domain/move-by-clock.ts';
import { reconcile } from './domain/reconcile.ts';
import { withdrawOwed } from './domain/withdraw.ts';

/** So many credits of dials that have left are given out together: a round costs the same for one and for hundreds. */
const GATHER_MS = 100;

/** What every replica does by itself. Each loop reads its work from the database, so any number may run it. */
export function startJobs(context: Context): void {
  const { log, lifecycle, metrics, dispatchBell, withdrawBell, idempotencyStore, retirements } = context;
  const dials = metrics.counter('parley_campaign_dials_requested_total', 'Dials asked of telephony');
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    createLoop({ name, everyMs, run, log, lifecycle });

  const dispatcher = loop('dispatch', 200, async () => {
    dials.inc(await dispatch(context));
    return false;
  });
  dispatchBell.answer(coalesce(GATHER_MS, dispatcher.wake));

  const withdrawals = loop('withdrawals', 1_000, () => withdrawOwed(context));
  withdrawBell.answer(withdrawals.wake);

  // A campaign starts within a second of its schedule.
  loop('clock', 250, () => moveByClock(context));
  loop('completion', 2_000, () => completeDone(context));
  loop('reconciler', 1_000, () => reconcile(context));
  loop('idempotency sweep', 600_000, async () => (await idempotencyStore.sweep()) > 0);
  loop('retirement sweep', 3_600_000, async () => {
    await retirements.sweep();
    return false;
  });
}
