import { isConnectivityError } from '@parley/kit/errors';
import { monotonicMs } from '@parley/kit/time';
import type { DialRate } from '../dispatch/dial-window.ts';

const TTL_MS = 1_000;
const BATCH = 1_000;

type Load = (phoneNumberIds: string[]) => Promise<[string, DialRate][]>;

/**
 * Rates of numbers, cached for a second. While telephony is unavailable the last ones are used, and unknown numbers are
 * missing: a wrong window does no harm for a moment, since telephony keeps the pace.
 */
export function createDialRates(load: Load): (phoneNumberIds: string[]) => Promise<Map<string, DialRate>> {
  let known = new Map<string, { rate: DialRate | undefined; atMs: number }>();

  const refresh = async (ids: string[]): Promise<void> => {
    const rates = new Map(await load(ids));
    const atMs = monotonicMs();
    for (const id of ids) known.set(id, { rate: rates.get(id), atMs });
  };

  return async (ids) => {
    const wanted = new Set(ids);
    // Forgets numbers that are no longer dialed from.
    known = new Map([...known].filter(([id]) => wanted.has(id)));
    const stale = ids.filter((id) => (known.get(id)?.atMs ?? -Infinity) < monotonicMs() - TTL_MS);
    try {
      for (let at = 0; at < stale.length; at += BATCH) await refresh(stale.slice(at, at + BATCH));
    } catch (err) {
      if (!isConnectivityError(err)) throw err;
    }
    return new Map([...known].flatMap(([id, { rate }]) => (rate ? [[id, rate] as const] : [])));
  };
}
