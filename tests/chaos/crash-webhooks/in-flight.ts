import { setTimeout as sleep } from 'node:timers/promises';
import type { Arrival } from './receiver.ts';
import type { Stage } from './stage.ts';

/** Requests that dead processes had sent and not recorded: only these may be repeated, once each. */
export type InFlight = {
  /** Call when a process was killed; without a sender, when the database was: then it applies to all processes. */
  recordDeath(sender?: number): Promise<number>;
  /** How many requests of the event may be repeated. */
  of(eventId: string): number;
  total(): number;
};

const ARRIVAL_MS = 700;

export function countInFlight({ pool, receiver }: Stage): InFlight {
  const noted = new Set<Arrival>();
  const byEvent = new Map<string, number>();
  return {
    recordDeath: async (sender) => {
      // Requests sent before the crash may arrive after it; a replacement needs longer to send its first.
      await sleep(ARRIVAL_MS);
      const own = receiver.arrivals.filter(
        (one) => (sender === undefined || one.sender === sender) && !noted.has(one),
      );
      const ids = [...new Set(own.map(({ eventId }) => eventId))];
      const { rows } = await pool.query<{ key: string }>(
        `SELECT event_id || ' ' || attempt AS key FROM attempts WHERE event_id = ANY ($1::uuid[])`,
        [ids],
      );
      const recorded = new Set(rows.map(({ key }) => key));
      const lost = own.filter(({ eventId, attempt }) => !recorded.has(`${eventId} ${attempt}`));
      for (const arrival of lost) {
        noted.add(arrival);
        byEvent.set(arrival.eventId, (byEvent.get(arrival.eventId) ?? 0) + 1);
      }
      return lost.length;
    },
    of: (eventId) => byEvent.get(eventId) ?? 0,
    total: () => noted.size,
  };
}
