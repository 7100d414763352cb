import { createLoop } from '@parley/kit/jobs';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { monotonicMs, realTimer } from '@parley/kit/time';
import { type AfterCallOverrides, startAfterCallJobs } from './after-call-jobs.ts';
import type { Context } from './context.ts';
import { aheadOf, dialDue } from './domain/dialing/dial-due.ts';
import { heedStops } from './domain/stopping/heed-stops.ts';
import { BEAT_EVERY_MS, beginLease } from './domain/workers/lease.ts';
import { takeOverCalls } from './domain/workers/take-over.ts';
import { createWorkerDeps, type WorkerOverrides } from './worker-deps.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

export type CallWorker = { workerId: string; liveCalls(): number };

const DIAL_EVERY_MS = 100;
const TAKE_OVER_EVERY_MS = 500;
const STOP_EVERY_MS = 250;
const FORGET_EVERY_MS = 600_000;
/** Stack time: longer than the longest call and the retries of its analysis. */
const SNAPSHOTS_LAST_MS = 24 * 3_600_000;

/**
 * The live part: dials, carries calls, takes over those of dead workers, and sees to what comes after their end. On stop it
 * dials no more and lets its calls go, which other workers take over at once.
 */
export async function startWorker(
  context: Context,
  lifecycle: Lifecycle,
  overrides: WorkerOverrides & AfterCallOverrides = {},
): Promise<CallWorker> {
  const { log, clock, dialSignal, stopSignal } = context;
  const measures = createWorkerMetrics(context.metrics);
  const { lease, switchboard, dial, takeOver, stops, archive, receiveCalls } = createWorkerDeps(
    context,
    overrides,
    { measures, onEnded: () => afterCall.wake() },
  );
  const loop = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<boolean>) =>
    createLoop({ name, everyMs, run, log, lifecycle });

  // The first heartbeat comes before the first call.
  await beginLease(lease);
  lifecycle.onStop('lease of the worker', () => lease.resign());
  loop('heartbeat', BEAT_EVERY_MS, async () => {
    // Nothing else is waited for here: a heart that stops for another reason than death loses its calls.
    if (!(await lease.beat())) takeOverLoop.wake();
    return false;
  });
  const afterCall = startAfterCallJobs(context, { workerId: lease.workerId, archive }, overrides);
  lifecycle.onStop('calls', () => switchboard.releaseAll());
  const takeOverLoop = loop('take over', TAKE_OVER_EVERY_MS, () => takeOverCalls(takeOver));
  const stopLoop = loop('stops', STOP_EVERY_MS, () => heedStops(stops));
  lifecycle.onStop('stop signal', stopSignal.listen(stopLoop.wake));
  loop('old snapshots', FORGET_EVERY_MS, async () => {
    await archive.forgetOld(new Date(clock.now().getTime() - SNAPSHOTS_LAST_MS));
    return false;
  });

  measures.holds(switchboard.size);

  let cancelWake = (): void => {};
  let roundMs = 0;
  const dialer = loop('dialer', DIAL_EVERY_MS, async () => {
    const aheadMs = aheadOf(roundMs, dial.departures.askMs());
    const beganMs = monotonicMs();
    const { dials, busy, nextAt } = await dialDue(dial, aheadMs);
    if (busy) roundMs = (roundMs + monotonicMs() - beganMs) / 2;
    switchboard.dial(dials);
    for (const { waitedMs } of dials) measures.waited(clock.toRealMs(waitedMs));
    cancelWake();
    if (nextAt) {
      const inMs = clock.toRealMs(nextAt.getTime() - clock.now().getTime()) - aheadMs;
      if (inMs < DIAL_EVERY_MS) cancelWake = realTimer(Math.max(1, inMs), () => dialer.wake());
    }
    return busy;
  });
  lifecycle.onStop('next dial', () => cancelWake());
  receiveCalls();
  lifecycle.onStop('dial signal', dialSignal.listen(dialer.wake));
  log.info({ workerId: lease.workerId }, 'call worker started');
  return { workerId: lease.workerId, liveCalls: switchboard.size };
}
