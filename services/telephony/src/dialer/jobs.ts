import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { monotonicMs, realTimer } from '@parley/kit/time';
import type { Signal } from '../signal.ts';
import { aheadOf, type DialDeps, dialDue } from './dial-due.ts';
import type { DueDial } from './grant-dials.ts';

export type DialerDeps = DialDeps & {
  dial(dials: readonly DueDial[]): void;
  /** A dial was granted this long after its request. Real milliseconds. */
  onWaited(ms: number): void;
  dialSignal: Signal;
  lifecycle: Lifecycle;
};

const DIAL_EVERY_MS = 100;

/** Grants due dials and hands them to the sessions. */
export function startDialer(deps: DialerDeps): void {
  const { dial, onWaited, dialSignal, departures, clock, log, lifecycle } = deps;
  let cancelWake = (): void => {};
  let roundMs = 0;
  const dialer = createJobLoop({
    name: 'dialer',
    everyMs: DIAL_EVERY_MS,
    run: async () => {
      const aheadMs = aheadOf(roundMs, departures.askMs());
      const beganMs = monotonicMs();
      const { dials, busy, nextAt } = await dialDue(deps, aheadMs);
      if (busy) roundMs = (roundMs + monotonicMs() - beganMs) / 2;
      dial(dials);
      for (const { waitedMs } of dials) onWaited(clock.toRealMs(waitedMs));
      cancelWake();
      if (nextAt) {
        const inMs = clock.toRealMs(nextAt.getTime() - clock.now().getTime()) - aheadMs;
        if (inMs < DIAL_EVERY_MS) cancelWake = realTimer(Math.max(1, inMs), () => dialer.wake());
      }
      return busy;
    },
    log,
    lifecycle,
  });
  lifecycle.onStop('next dial', () => cancelWake());
  lifecycle.onStop('dial signal', dialSignal.listen(dialer.wake));
}
