import type { CallRow } from './stage.ts';

const EVENTS = ['call_started', 'call_ended', 'call_analyzed'];

export type Seen = {
  /** Calls that were accepted, and those of the campaign. */
  expected: readonly string[];
  calls: readonly CallRow[];
  events: ReadonlyMap<string, readonly string[]>;
};

export type Verdict = {
  completed: number;
  /** Went on with another worker. */
  changedHands: number;
  /** Accepted, and never over or never analysed. */
  lost: string[];
  /** Over, and otherwise than by the human, who always hangs up here. */
  cut: string[];
  dialledTwice: string[];
  delivered: number;
  missing: number;
  /** More than once, or not in order. */
  repeated: string[];
};

/** What became of the calls. */
export function judge({ expected, calls, events }: Seen): Verdict {
  const rows = new Map(calls.map((row) => [row.id, row]));
  const isOver = (id: string): boolean => rows.get(id)?.status === 'completed' && !!rows.get(id)?.analysed;
  const over = expected.filter(isOver);
  const told = expected.map((id) => ({ id, had: events.get(id) ?? [] }));
  const delivered = told.reduce((sum, { had }) => sum + new Set(had).size, 0);
  return {
    completed: over.length,
    changedHands: over.filter((id) => (rows.get(id)?.hands ?? 0) > 1).length,
    lost: expected.filter((id) => !isOver(id)),
    cut: over.filter((id) => rows.get(id)?.reason !== 'user_hangup'),
    dialledTwice: calls.filter(({ legs }) => legs > 1).map(({ id }) => id),
    delivered,
    missing: expected.length * EVENTS.length - delivered,
    repeated: told.filter(({ had }) => new Set(had).size < had.length || !isInOrder(had)).map(({ id }) => id),
  };
}

const isInOrder = (had: readonly string[]): boolean =>
  had.every((event, index) => index === 0 || EVENTS.indexOf(event) > EVENTS.indexOf(had[index - 1] ?? ''));
