import type { CallRow } from './stage.ts';

const EVENTS = ['call_started', 'call_ended', 'call_analyzed'];

export type Seen = {
  /** Ids of accepted calls, and of the campaign's calls. */
  expected: readonly string[];
  calls: readonly CallRow[];
  events: ReadonlyMap<string, readonly string[]>;
};

export type Verdict = {
  completed: number;
  /** Calls that another worker continued. */
  takenOver: number;
  /** Accepted, but never completed or never analyzed. */
  lost: string[];
  /** Completed, but not by the human, who always hangs up here. */
  cut: string[];
  dialedTwice: string[];
  delivered: number;
  missing: number;
  /** Events delivered more than once or out of order. */
  repeated: string[];
};

/** Evaluates calls and events. */
export function judge({ expected, calls, events }: Seen): Verdict {
  const rows = new Map(calls.map((row) => [row.id, row]));
  const isOver = (id: string): boolean => rows.get(id)?.status === 'completed' && !!rows.get(id)?.analyzed;
  const over = expected.filter(isOver);
  const received = expected.map((id) => ({ id, events: events.get(id) ?? [] }));
  const delivered = received.reduce((sum, { events }) => sum + new Set(events).size, 0);
  return {
    completed: over.length,
    takenOver: over.filter((id) => (rows.get(id)?.workers ?? 0) > 1).length,
    lost: expected.filter((id) => !isOver(id)),
    cut: over.filter((id) => rows.get(id)?.reason !== 'user_hangup'),
    dialedTwice: calls.filter(({ legs }) => legs > 1).map(({ id }) => id),
    delivered,
    missing: expected.length * EVENTS.length - delivered,
    repeated: received
      .filter(({ events }) => new Set(events).size < events.length || !isInOrder(events))
      .map(({ id }) => id),
  };
}

const isInOrder = (events: readonly string[]): boolean =>
  events.every(
    (event, index) => index === 0 || EVENTS.indexOf(event) > EVENTS.indexOf(events[index - 1] ?? ''),
  );
