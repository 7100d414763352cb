import type { EndCause, LegEvent } from '../call-control.ts';
import type { LegRecord } from './leg-record.ts';
import type { LegPlan } from './plan.ts';

/** An event and when it is emitted: for a disorderly carrier that differs from when it happened. */
export type Emission = { event: LegEvent; emitAt: Date };

/** Delay of the repeated events of a disorderly carrier. */
const REPEAT_AFTER_MS = 400;

const after = (record: LegRecord, ms: number): Date => new Date(record.originatedAt.getTime() + ms);

/** When the leg ends by its plan, independent of the conversation. */
function plannedEnd(record: LegRecord, plan: LegPlan): { cause: EndCause; at: Date } | null {
  if (plan.answeredMs === null)
    return { cause: plan.unanswered.cause, at: after(record, plan.unanswered.atMs) };
  if (plan.hangsUpAfterMs === null) return null;
  return { cause: 'remote', at: after(record, plan.answeredMs + plan.hangsUpAfterMs) };
}

/** How the leg ends, as far as known: by its plan, unless it was ended before. */
export function knownEnd(record: LegRecord, plan: LegPlan): { cause: EndCause; at: Date } | null {
  const planned = plannedEnd(record, plan);
  const { endedAt, endedCause } = record;
  // A hang-up after the planned end has no effect.
  if (!endedAt || (planned && planned.at <= endedAt)) return planned;
  return { cause: endedCause ?? 'lost', at: endedAt };
}

/** All events before the end, as a pure function of the plan. */
export function eventsBeforeEnd(record: LegRecord, plan: LegPlan): Emission[] {
  const { id: legId, endedAt } = record;
  const happen = (type: 'ringing' | 'answered' | 'machine_detected', ms: number | null): LegEvent[] =>
    ms === null || (endedAt && after(record, ms) > endedAt) ? [] : [{ type, legId, at: after(record, ms) }];
  const events = [
    ...happen('ringing', plan.ringingMs),
    ...happen('answered', plan.answeredMs),
    ...happen('machine_detected', plan.machineMs),
  ];
  if (!plan.repeatsEvents) return events.map((event) => ({ event, emitAt: event.at }));
  const last = events.at(-1)?.at ?? record.originatedAt;
  const later = (ms: number): Date => new Date(last.getTime() + ms);
  // In reverse order, and then all of them again.
  return [
    ...[...events].reverse().map((event, i) => ({ event, emitAt: later(i * 50) })),
    ...events.map((event, i) => ({ event, emitAt: later(REPEAT_AFTER_MS + i * 50) })),
  ];
}

/** The end, with everything that is known about the leg. */
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

/** Events that a disorderly carrier repeats after the end. */
export function repeatedAfterEnd(record: LegRecord, plan: LegPlan, ended: LegEvent): LegEvent[] {
  if (!plan.repeatsEvents) return [];
  const before = eventsBeforeEnd({ ...record, endedAt: ended.at }, plan).map(({ event }) => event);
  return [before[0], ended].filter((event) => event !== undefined);
}
