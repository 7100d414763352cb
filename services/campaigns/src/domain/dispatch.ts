import { isConnectivityError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { dialWindow } from './dial-window.ts';
import { forEach } from './for-each.ts';
import type { BusyNumber, ClaimDials, Telephony } from './ports.ts';

export type DispatchDeps = {
  busyNumbers: (now: Date) => Promise<BusyNumber[]>;
  claimDials: ClaimDials;
  telephony: Pick<Telephony, 'dialRates'>;
  clock: Clock;
  log: Log;
  windowMax: number;
};

/**
 * Hands out dials: for every number with work, as many requests as its window lets telephony hold undialled. Every
 * replica does this; what it knows it reads from the database each time. Gives how many it handed out.
 */
export async function dispatch(deps: DispatchDeps): Promise<number> {
  const { clock, telephony, claimDials, windowMax } = deps;
  const now = clock.now();
  const busy = await deps.busyNumbers(now);
  if (busy.length === 0) return 0;
  const rates = await telephony.dialRates(busy.map(({ phoneNumberId }) => phoneNumberId));
  let claimed = 0;
  await forEach(busy, async ({ phoneNumberId, outstanding }) => {
    const window = dialWindow(rates.get(phoneNumberId), clock.rate, windowMax);
    if (outstanding >= window) return;
    try {
      claimed += await claimDials({ phoneNumberId, window, now });
    } catch (err) {
      if (isConnectivityError(err)) throw err;
      // One number's trouble is no other's.
      deps.log.error({ err, phoneNumberId }, 'no dials could be handed out for a number');
    }
  });
  return claimed;
}
