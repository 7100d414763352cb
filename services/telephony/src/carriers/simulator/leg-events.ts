import type { EndCause, LegEvent } from '../../domain/carrier/port.ts';
import type { LegPlan } from './plan.ts';

/** What the simulated carrier remembers of a leg. */
export type LegRecord = {
  id: string;
  reference: string;
  workspaceId: string;
  direction: 'outbound' | 'inbound';
  from: string;
  to: string;
  ordinal: number;
  originatedAt: Date;
  /** Of a call that came in: when we picked up, how long the caller waits for that, and what it says. */
  answeredAt: Date | null;
  givesUpAt: Date | null;
  script: readonly string[] | null;
  endedAt: Date | null;
  endedCause: EndCause | null;
};

/** An event and when it is told, which for a muddled carrier isn't when it happened. */
export type Telling = { event: LegEvent; tellAt: Date };

/** How much later the repetitions of a carrier that tells twice come. */
const MUDDLE_MS = 400;

const after = (record: LegRecord, ms: number): Date => new Date(record.originatedAt.getTime() + ms);

/** When the leg ends by its own plan, if the conversation doesn't matter. */
function plannedEnd(record: LegRecord, plan: LegPlan): { cause: EndCause; at: Date } | null {
  if (plan.answeredMs === null)
    return { cause: plan.unanswered.cause, at: after(record, plan.unanswered.atMs) };
  if (plan.hangsUpAfterMs === null) return null;
  return { cause: 'remote', at: after(record, plan.answeredMs + plan.hangsUpAfterMs) };
}

/** How the leg ends, as far as that is known: by its plan, unless something else has ended it before. */
export function knownEnd(record: LegRecord, plan: LegPlan): { cause: EndCause; at: Date } | null {
  const planned = plannedEnd(record, plan);
  const { endedAt, endedCause } = record;
  // Whoever hung up late, knowing nothing of the end, didn't end it.
  if (!endedAt || (planned && planned.at <= endedAt)) return planned;
  return { cause: endedCause ?? 'lost', at: endedAt };
}

/** Everything that happens on the leg before it ends: a pure function of its plan. */
export function eventsBeforeEnd(record: LegRecord, plan: LegPlan): Telling[] {
  const { id: legId, endedAt } = record;
  const happen = (type: 'ringing' | 'answered' | 'machine_detected', ms: number | null): LegEvent[] =>
    ms === null || (endedAt && after(record, ms) > endedAt) ? [] : [{ type, legId, at: after(record, ms) }];
  const events = [
    ...happen('ringing', plan.ringingMs),
    ...happen('answered', plan.answeredMs),
    ...happen('machine_detected', plan.machineMs),
  ];
  if (!plan.tellsTwice) return events.map((event) => ({ event, tellAt: event.at }));
  const last = events.at(-1)?.at ?? record.originatedAt;
  const later = (ms: number): Date => new Date(last.getTime() + ms);
  // The latest comes first, the others behind it, and then all of them once more.
  return [
    ...[...events].reverse().map((event, i) => ({ event, tellAt: later(i * 50) })),
    ...events.map((event, i) => ({ event, tellAt: later(MUDDLE_MS + i * 50) })),
  ];
}

/** The end, which says everything that is known of the leg. */
export function endEvent(record: LegRecord, plan: LegPlan, end: { cause: EndCause; at: Date }): LegEvent {
  const reached = (ms: number | null): boolean => ms !== null && after(record, ms) <= end.at;
  const answered = plan.answeredMs !== null && reached(plan.answeredMs);
  return {
    type: 'ended',
    legId: record.id,
    at: end.at,
    cause: end.cause,
    answeredAt: answered && plan.answeredMs !== null ? after(record, plan.answeredMs) : null,
    machine: answered && reached(plan.machineMs),
  };
}

/** Events that a muddled carrier tells once more after the end. */
export function echoesAfterEnd(record: LegRecord, plan: LegPlan, ended: LegEvent): LegEvent[] {
  if (!plan.tellsTwice) return [];
  const before = eventsBeforeEnd({ ...record, endedAt: ended.at }, plan).map(({ event }) => event);
  return [before[0], ended].filter((event) => event !== undefined);
}
