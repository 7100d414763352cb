import { LRUCache } from 'lru-cache';
import type { OriginateRequest } from '../../call-control.ts';
import { closeRoute, type DialRequest, type OpenRoute } from './open-route.ts';

type PreparedDial = { request: DialRequest; opened: OpenRoute };

type PreparedDials = {
  /** False: the trunk has no route, or the dial cannot be prepared. Rejects if a retry may succeed. */
  prepare(request: OriginateRequest): Promise<boolean>;
  /** The prepared dial, which belongs to the caller from now on. */
  take(request: OriginateRequest): Promise<PreparedDial>;
  stop(): void;
};

/** Kept for a dial that missed its slot and is retried; longer if its trunk has no route, since finding one takes time. */
const KEEP_MS = 10_000;
const KEEP_FAILED_MS = 30_000;
/** A dial whose preparation fails this often is not retried. */
const MAX_FAILURES = 3;
const MAX_FAILED_DIALS = 1_000;
const FAILED_MS = 600_000;

/** Connections to trunks and ports for audio, open before the slots of their dials [campaigns.10]. */
export function createPreparedDials(
  open: (request: OriginateRequest) => Promise<PreparedDial>,
): PreparedDials {
  const dials = new Map<string, Promise<PreparedDial>>();
  const failures = new LRUCache<string, { count: number; err: unknown }>({
    max: MAX_FAILED_DIALS,
    ttl: FAILED_MS,
  });

  const forget = (reference: string, dial: Promise<PreparedDial>): void => {
    if (dials.get(reference) !== dial) return;
    dials.delete(reference);
    dial.then(
      ({ opened }) => closeRoute(opened),
      () => {},
    );
  };

  const begin = (request: OriginateRequest): Promise<PreparedDial> => {
    const { reference } = request;
    const dial = open(request);
    dials.set(reference, dial);
    dial.then(
      ({ opened }) =>
        setTimeout(() => forget(reference, dial), 'flow' in opened ? KEEP_MS : KEEP_FAILED_MS).unref(),
      () => forget(reference, dial),
    );
    return dial;
  };

  return {
    prepare: async (request) => {
      const { reference } = request;
      try {
        const { opened } = await (dials.get(reference) ?? begin(request));
        failures.delete(reference);
        return 'flow' in opened;
      } catch (err) {
        const count = (failures.get(reference)?.count ?? 0) + 1;
        failures.set(reference, { count, err });
        if (count < MAX_FAILURES) throw err;
        return false;
      }
    },
    take: async (request) => {
      const { reference } = request;
      const dial = dials.get(reference);
      dials.delete(reference);
      const failure = failures.get(reference);
      // It was reported as a dial that cannot leave, so it must not leave before its slot.
      if (!dial && failure && failure.count >= MAX_FAILURES) throw failure.err;
      return dial ?? open(request);
    },
    stop: () => {
      for (const [reference, dial] of dials) forget(reference, dial);
    },
  };
}
