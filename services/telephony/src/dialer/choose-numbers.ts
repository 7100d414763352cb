import type { NumberPace } from './dial-request.ts';
import type { AwaitedNumber, WantedRequests } from './dials.store.ts';
import { freeSlots, nextSlotMs, type Span } from './plan-slots.ts';

/** Requests of one transaction. */
export const BATCH = 100;

/** A number is due if its next free slot begins by `dueBy`. */
export type DueWithin = { dueBy: Date; span: Span };

type Chosen = { numbers: AwaitedNumber[]; retried: ReadonlySet<string>; wakeAtMs: number };

/**
 * Whether the number's next free slot is near. It is not once another worker has reserved the next ones. A deleted or inactive number is
 * always due: its requests are refused, or wait.
 */
export const isDue = (pace: NumberPace | null, { span, dueBy }: DueWithin): boolean =>
  !pace?.isActive || nextSlotMs(pace, span) <= dueBy.getTime();

/** `numbers`: the due ones that this round tries, of `stuck` ones only `retried`. `wakeAtMs`: the next slot of the others, or Infinity. */
export function chooseNumbers(
  awaited: readonly AwaitedNumber[],
  within: DueWithin,
  stuck: ReadonlySet<string>,
): Chosen {
  const notDue = awaited.flatMap(({ pace }) => (pace && !isDue(pace, within) ? pace.nextSlotMs : []));
  // Only a few stuck numbers are tried per round, with one request each, to keep the round short.
  const retried = new Set([...stuck].slice(0, BATCH / 2));
  const isTried = (id: string): boolean => !stuck.has(id) || retried.has(id);
  const numbers = awaited.filter((it) => isDue(it.pace, within) && isTried(it.phoneNumberId));
  return { numbers, retried, wakeAtMs: Math.min(...notDue) };
}

/**
 * How many requests to read: single calls up to the number of free slots. Campaigns likewise; with an open circuit none, or one when its
 * probe is due.
 */
export function wantedOf(
  { phoneNumberId, pace }: AwaitedNumber,
  span: Span,
  isRetried: boolean,
): WantedRequests {
  const free = pace?.isActive ? freeSlots(pace, span) : BATCH;
  const maxSingleCalls = Math.min(free, isRetried ? 1 : BATCH);
  const maxOfCampaigns = pace?.probeAt ? Number(pace.probeAt <= span.end) : maxSingleCalls;
  return { phoneNumberId, maxSingleCalls, maxOfCampaigns };
}
