import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { dialWindow } from './dial-window.ts';
import type { BusyNumber, ClaimDials, Telephony } from './ports.ts';

export type DispatchDeps = {
  busyNumbers: (now: Date) => Promise<BusyNumber[]>;
  claimDials: ClaimDials;
  telephony: Pick<Telephony, 'dialRates'>;
  clock: Clock;
  log: Log;
  windowMax: number;
};

type Window = { phoneNumberId: string; window: number };

/** Numbers of one transaction: a verb on one of their campaigns waits for it. */
const BATCH = 50;

/**
 * Hands out dials: for every number with work, as many requests as its window lets telephony hold undialled. Every
 * replica does this; what it knows it reads from the database each time. Gives how many it handed out.
 */
export async function dispatch(deps: DispatchDeps): Promise<number> {
  const { clock, telephony, windowMax } = deps;
  const busy = await deps.busyNumbers(clock.now());
  if (busy.length === 0) return 0;
  const rates = await telephony.dialRates(busy.map(({ phoneNumberId }) => phoneNumberId));
  const windows = busy.flatMap(({ phoneNumberId, outstanding }) => {
    const window = dialWindow(rates.get(phoneNumberId), clock.rate, windowMax);
    return window - outstanding >= leastRoom(window) ? [{ phoneNumberId, window }] : [];
  });
  let claimed = 0;
  for (let at = 0; at < windows.length; at += BATCH) {
    claimed += await claim(deps, windows.slice(at, at + BATCH));
  }
  return claimed;
}

/** A claim costs the same for one contact and for many: one in eight of the window is free before there is another. */
function leastRoom(window: number): number {
  return Math.max(1, Math.ceil(window / 8));
}

/** Where claims for many are refused, each half is tried alone: one number's trouble is no other's. */
async function claim(deps: DispatchDeps, windows: readonly Window[]): Promise<number> {
  try {
    // The hours of a campaign may have ended while its number's rate was asked for.
    const now = deps.clock.now();
    return await deps.claimDials(
      new Map(windows.map(({ phoneNumberId, window }) => [phoneNumberId, window])),
      now,
    );
  } catch (err) {
    if (isConnectivityError(err)) throw err;
    const [first, ...others] = windows;
    if (others.length === 0) {
      deps.log.error(
        { err, phoneNumberId: first?.phoneNumberId },
        'no dials could be handed out for a number',
      );
      return 0;
    }
    const half = Math.ceil(windows.length / 2);
    return (await claim(deps, windows.slice(0, half))) + (await claim(deps, windows.slice(half)));
  }
}
