import type { Clock } from '@parley/kit/time';
import { endUntouched } from '../calls/end-untouched.ts';
import type { Transact } from '../ports.ts';
import { joinableSince, joinableUntil } from './joinable.ts';
import type { WebCalls } from './ports.ts';

export type EndUnjoinedDeps = { transact: Transact; webCalls: WebCalls; clock: Clock };

const MOST = 100;

/** A web call that was never joined ends after 60 seconds (D6.2). True: there may be more. */
export async function endUnjoined({ transact, webCalls, clock }: EndUnjoinedDeps): Promise<boolean> {
  return transact(async (tx) => {
    const now = clock.now();
    const waiting = await webCalls.lockWaiting(tx, joinableSince(now), MOST);
    // Looked for after they are held: whoever joins holds the call.
    const ids = waiting.map(({ id }) => id);
    const joined = await webCalls.joined(tx, ids);
    const ends = waiting.flatMap((call) =>
      joined.has(call.id)
        ? []
        : [{ call, change: endUntouched(call, 'not_joined', joinableUntil(call.createdAt)) }],
    );
    await webCalls.end(tx, ends, now);
    return ends.length === MOST;
  });
}
