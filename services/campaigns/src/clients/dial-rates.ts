import { isConnectivityError } from '@parley/kit/errors';
import { monotonicMs } from '@parley/kit/time';
import type { DialRate } from '../domain/dial-window.ts';

const FRESH_MS = 1_000;
const BATCH = 1_000;

type Ask = (phoneNumberIds: string[]) => Promise<[string, DialRate][]>;

/**
 * Rates of numbers, kept for a second. While telephony is away the last ones serve, and a number that was never asked
 * for is missing: a window too large or too small for a moment does no harm, since telephony keeps the pace.
 */
export function createDialRates(ask: Ask): (phoneNumberIds: string[]) => Promise<Map<string, DialRate>> {
  let known = new Map<string, { rate: DialRate | undefined; atMs: number }>();

  const refresh = async (ids: string[]): Promise<void> => {
    const rates = new Map(await ask(ids));
    const atMs = monotonicMs();
    for (const id of ids) known.set(id, { rate: rates.get(id), atMs });
  };

  return async (ids) => {
    const wanted = new Set(ids);
    // Nobody grows by numbers that are not dialled from any more.
    known = new Map([...known].filter(([id]) => wanted.has(id)));
    const stale = ids.filter((id) => (known.get(id)?.atMs ?? -Infinity) < monotonicMs() - FRESH_MS);
    try {
      for (let at = 0; at < stale.length; at += BATCH) await refresh(stale.slice(at, at + BATCH));
    } catch (err) {
      if (!isConnectivityError(err)) throw err;
    }
    return new Map([...known].flatMap(([id, { rate }]) => (rate ? [[id, rate] as const] : [])));
  };
}
