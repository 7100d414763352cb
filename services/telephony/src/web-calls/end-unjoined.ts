import type { Clock } from '@parley/kit/time';
import type { Transact } from '../clients/ports.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import { joinableSince, joinableUntil } from './joinable.ts';
import type { WebCalls } from './ports.ts';

export type EndUnjoinedDeps = { transact: Transact; webCalls: WebCalls; clock: Clock };

const BATCH = 100;

/** Ends web calls that were not joined within 60 seconds [web-calls.2]. True: there may be more. */
export async function endUnjoined({ transact, webCalls, clock }: EndUnjoinedDeps): Promise<boolean> {
  const now = clock.now();
  if (!(await webCalls.isAnyWaiting(joinableSince(now)))) return false;
  return transact(async (tx) => {
    const waiting = await webCalls.lockWaiting(tx, joinableSince(now), BATCH);
    // Read after the calls are locked: a join locks the call too.
    const ids = waiting.map(({ id }) => id);
    const joined = await webCalls.joined(tx, ids);
    const ends = waiting.flatMap((call) =>
      joined.has(call.id)
        ? []
        : [{ call, change: endUntouched(call, 'not_joined', joinableUntil(call.createdAt)) }],
    );
    await webCalls.end(tx, ends, now);
    return ends.length === BATCH;
  });
}
