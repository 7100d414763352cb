import type { InFlight } from './in-flight.ts';
import type { Arrival } from './receiver.ts';
import type { Stage } from './stage.ts';
import type { PublishedCall } from './traffic.ts';

const HOLD_MS = 30 * 60_000;
const POSITIONS: Record<string, number> = { call_started: 1, call_ended: 2, call_analyzed: 3 };

type Row = { id: string; callId: string; event: string; status: string };

const EVENTS = 'SELECT id::text, call_id::text AS "callId", event, status FROM events';

export async function pendingEvents({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM events WHERE status = 'pending'`,
  );
  return rows[0]?.n ?? 0;
}

export async function recordedEvents({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events');
  return rows[0]?.n ?? 0;
}

const toWords = ({ attempt, sender, atMs, status }: Arrival): string =>
  `attempt ${attempt} by ${sender} at ${new Date(atMs).toISOString()}: ${status}`;

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

export type Verdict = {
  /** The violations of each invariant: its description, and the events or calls that violate it. */
  breaches: Map<string, string[]>;
  /** Requests that repeat an attempt number. */
  duplicates: number;
  /** Calls with an event after the hold, when order is no longer guaranteed. */
  afterHold: number;
};

export async function judge(
  stage: Stage,
  calls: readonly PublishedCall[],
  inFlight: InFlight,
): Promise<Verdict> {
  const { arrivals } = stage.receiver;
  const { rows } = await stage.pool.query<Row>(EVENTS);
  const byCall = groupBy(rows, ({ callId }) => callId);
  const byEvent = groupBy(arrivals, ({ eventId }) => eventId);
  const of = (eventId: string): Arrival[] => byEvent.get(eventId) ?? [];
  const isAnswered = ({ status }: Arrival): boolean => status === 200;

  const lost = calls.flatMap(({ callId, events }) => {
    const own = byCall.get(callId) ?? [];
    return events
      .filter((event) => {
        const row = own.find((one) => one.event === event);
        return row?.status !== 'delivered' || !of(row.id).some(isAnswered);
      })
      .map((event) => `${callId} ${event}`);
  });
  // A recorded attempt is not repeated: the next one has the next number.
  const repeated = rows.map(({ id }) => ({
    id,
    times: of(id).length - new Set(of(id).map(({ attempt }) => attempt)).size,
  }));
  const arrivalsByCall = groupBy(arrivals, ({ callId }) => callId);
  const outOfOrder: string[] = [];
  let afterHold = 0;
  for (const { callId, endedAtMs } of calls) {
    const own = arrivalsByCall.get(callId) ?? [];
    const inside = own.filter(({ atMs }) => atMs < endedAtMs + HOLD_MS);
    if (inside.length < own.length) afterHold += 1;
    const order = inside.map(({ event }) => POSITIONS[event] ?? 0);
    if (order.some((position, index) => position < (order[index - 1] ?? 0))) outOfOrder.push(callId);
  }
  const { rows: finals } = await stage.pool.query<{ id: string; attempt: number }>(
    `SELECT e.id::text, a.attempt FROM events e JOIN attempts a ON a.event_id = e.id
     WHERE e.event = 'call_analyzed' AND a.reason = 'delivered'`,
  );
  // No attempt may follow a recorded delivery.
  const afterFinal = finals.filter(({ id, attempt }) => of(id).some((one) => one.attempt > attempt));
  return {
    breaches: new Map([
      ['event lost', lost],
      [
        'event sent more often than was in flight',
        repeated
          .filter(({ id, times }) => times > inFlight.of(id))
          .map(({ id }) => `${id} (${of(id).map(toWords).join(', ')}; ${inFlight.of(id)} in flight)`),
      ],
      ['call out of order during the hold', outOfOrder],
      ['call_analyzed sent after its recorded 2xx', afterFinal.map(({ id }) => id)],
      [
        'event with two recorded deliveries',
        rows.filter(({ id }) => finals.filter((one) => one.id === id).length > 1).map(({ id }) => id),
      ],
      [
        'event sent with different bodies',
        [...byEvent].filter(([, own]) => new Set(own.map(({ body }) => body)).size > 1).map(([id]) => id),
      ],
    ]),
    duplicates: repeated.reduce((sum, { times }) => sum + Math.max(0, times), 0),
    afterHold,
  };
}
