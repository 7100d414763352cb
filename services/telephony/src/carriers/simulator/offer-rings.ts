import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { RingListener } from '../../domain/carrier/port.ts';
import type { CallerStore } from './caller-store.ts';
import type { LegRecord } from './leg-events.ts';

type OfferDeps = { callers: CallerStore; clock: Clock; log: Log };

const MOST = 20;

/** Offers calls that nobody has taken; what isn't taken is offered again, here or elsewhere. True: there may be more. */
export async function offerRings(
  { callers, clock, log }: OfferDeps,
  listener: RingListener,
): Promise<boolean> {
  const offer = async (leg: LegRecord): Promise<void> => {
    const { id: legId, reference, workspaceId, from, to, originatedAt: at } = leg;
    const until = leg.endedAt ?? leg.givesUpAt ?? at;
    // A caller who is gone by now was promised a call all the same, and it has to be told how that ended.
    const goneAt = until <= clock.now() ? until : null;
    if (await listener({ reference, legId, from, to, at, goneAt, workspaceId })) await callers.taken(legId);
  };
  const offered = await callers.offer(MOST);
  for (const result of await Promise.allSettled(offered.map(offer))) {
    if (result.status === 'rejected') log.warn({ err: result.reason }, 'a call that came in was not taken');
  }
  return offered.length === MOST;
}
