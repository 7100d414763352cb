import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Telephony } from '../clients/telephony.ts';
import type { BusyNumber, ClaimDials } from './claim-dials.ts';
import { dialWindow } from './dial-window.ts';

export type DispatchDeps = {
  busyNumbers: (now: Date) => Promise<BusyNumber[]>;
  claimDials: ClaimDials;
  telephony: Pick<Telephony, 'dialRates'>;
  clock: Clock;
  log: Log;
  windowMax: number;
};

type Window = { phoneNumberId: string; window: number };

/** Numbers per transaction: pause and cancel of their campaigns wait for it. */
const BATCH = 50;

/**
 * Requests dials: for every number with due contacts, as many as its window lets telephony hold undialed. Every replica
 * does this, on nothing but the database. Returns how many it requested.
 */
export async function dispatch(deps: DispatchDeps): Promise<number> {
  const { clock, telephony, windowMax } = deps;
  const busy = await deps.busyNumbers(clock.now());
  if (busy.length === 0) return 0;
  const rates = await telephony.dialRates(busy.map(({ phoneNumberId }) => phoneNumberId));
  const windows = busy.flatMap(({ phoneNumberId, outstanding }) => {
    const window = dialWindow(rates.get(phoneNumberId), clock.rate, windowMax);
    return window - outstanding >= minFree(window) ? [{ phoneNumberId, window }] : [];
  });
  let claimed = 0;
  for (let at = 0; at < windows.length; at += BATCH) {
    claimed += await claim(deps, windows.slice(at, at + BATCH));
  }
  return claimed;
}

/** A claim costs the same for one contact and for many: at least an eighth of the window is free before the next. */
function minFree(window: number): number {
  return Math.max(1, Math.ceil(window / 8));
}

/** Where a claim for many numbers fails, each half is tried by itself, so that one number can't block the others. */
async function claim(deps: DispatchDeps, windows: readonly Window[]): Promise<number> {
  try {
    // A campaign's hours may have ended while the rates were loaded.
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
        'no dials could be requested for a number',
      );
      return 0;
    }
    const half = Math.ceil(windows.length / 2);
    return (await claim(deps, windows.slice(0, half))) + (await claim(deps, windows.slice(half)));
  }
}
