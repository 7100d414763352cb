import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { RingListener } from '../call-control.ts';
import type { CallerStore } from './caller-store.ts';
import type { LegRecord } from './leg-record.ts';

type OfferDeps = { callers: CallerStore; clock: Clock; log: Log };

const BATCH = 20;

/** Offers waiting inbound calls; calls that are not taken are offered again by any process. Returns whether there may be more. */
export async function offerRings(
  { callers, clock, log }: OfferDeps,
  listener: RingListener,
): Promise<boolean> {
  const offer = async (leg: LegRecord): Promise<void> => {
    const { id: legId, reference, workspaceId, from, to, originatedAt: at } = leg;
    const until = leg.endedAt ?? leg.givesUpAt ?? at;
    // `POST /simulator/inbound` returned a call id, so a call exists even if the caller has hung up by now.
    const goneAt = until <= clock.now() ? until : null;
    if (await listener({ reference, legId, from, to, at, goneAt, workspaceId })) await callers.taken(legId);
  };
  const offered = await callers.offer(BATCH);
  await Promise.all(
    offered.map((leg) =>
      offer(leg).catch((err: unknown) =>
        log.warn({ err, callId: leg.reference }, 'inbound call could not be taken'),
      ),
    ),
  );
  return offered.length === BATCH;
}
