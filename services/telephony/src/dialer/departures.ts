import type { Clock } from '@parley/kit/time';
import { apartMs, CLEARANCE_MS, createLanes, FAIR_TURN_MS, LATEST_MS, type Slot } from './lanes.ts';

/** When a dial may leave, and what comes of it when it could not [campaigns.10]. */
export type Departure = {
  /** Resolves shortly before the slot, when it is time to ask what stands in the way. */
  isNear(): Promise<void>;
  /** To be called with the answer. `depart` is called in the very instant that is measured. */
  leave<T>(depart: () => T): Promise<Leaving<T>>;
};

/** `postponedTo`: the dial may leave then, and everything is asked again. */
type Leaving<T> = { departed: T } | { postponedTo: Date };

/** A slot in place of one that was missed, for a dial that may be late by as much as is said. */
export type WantedSlot = { missed: Slot; notBefore: Date; patienceMs: number };

/** The number's clock. Undefined: the number is gone. */
export type TakeSlot = (phoneNumberId: string, wanted: WantedSlot) => Promise<Date | undefined>;

export type Departures = {
  of(phoneNumberId: string, slot: Slot): Departure;
  /** No slot before then could be kept here, in stack milliseconds: so many dials of the number have yet to leave. */
  freeAtMs(phoneNumberId: string): number;
  /** By how much the dials of the number may be behind their slots here, and catch up. Stack milliseconds. */
  lateMs(phoneNumberId: string): number;
  /** When dials that are granted now will leave, in their order: behind those that have yet to. Stack milliseconds. */
  expectedMs(phoneNumberId: string, slots: readonly Pick<Slot, 'at' | 'intervalMs'>[]): number[];
  /** How long before their slots dials are asked about: twice what it takes. Real milliseconds. */
  askMs(): number;
  /** How much longer than an interval the others keep away from the last of so many dials, the first so late, that are granted now. */
  patienceMs(phoneNumberId: string, dials: number, lateMs: number): number;
};

/** All in real time. How long before its slot a dial is asked about at least, and how long the answer holds. */
const LEAST_ASKING_MS = 25;
const ANSWER_HOLDS_MS = 75;
/** However late the answer came: what was true when it was asked for isn't believed for longer, and a pause waits for it. */
export const BELIEVED_MS = 250;
/** How late a dial may leave while the others keep away; a process that is later yet takes twice as much the next time. */
const PATIENCE_MS = 1_200;
const MOST_PATIENCE_MS = 2_000;
/**
 * What the dials of a number are behind by here they catch up with, four milliseconds each, and no slot is lost by it:
 * well within what the others wait.
 */
const CATCHES_UP_MS = 900;
/** What is behind by less is on time. */
const ON_TIME_MS = 40;
/**
 * So many dials of a number are one process's before any other has as good a turn: the first as soon as nothing is behind,
 * since what is behind then is lost, the second at the latest. A turn costs the number some slots.
 */
const MANY_IN_A_ROW = 1_000;
const MOST_IN_A_ROW = 1_500;

/**
 * Keeps the dials of a number apart (ADR 26): those of this process by their lane, from those of others by their slots. Who
 * is later than the others wait for takes another slot from the number's clock: a process that is too busy dials slower, and
 * never faster. `onLeaving` hears how late each leaves after the slot that it was granted first, in real time.
 */
export function createDepartures(
  clock: Clock,
  take: TakeSlot,
  onLeaving: (lateMs: number) => void = () => {},
): Departures {
  const { rate } = clock;
  const nowMs = (): number => clock.now().getTime();
  const lanes = createLanes(clock);
  const until = async (ms: number): Promise<void> => {
    const waitMs = ms - nowMs();
    if (waitMs > 0) await clock.sleep(waitMs);
  };

  let askingMs = 0;
  const askMs = (): number => Math.min(Math.max(2 * askingMs, LEAST_ASKING_MS), ANSWER_HOLDS_MS);

  const of: Departures['of'] = (phoneNumberId, granted) => {
    const lane = lanes.of(phoneNumberId);
    let slot = granted;
    let askedAtMs: number | undefined;
    lane.enter(slot);
    const goesMs = (): number => Math.max(slot.at.getTime(), lane.freeAtMs());

    const takeAnother = async (leavesMs: number): Promise<void> => {
      const lateMs = leavesMs - slot.at.getTime();
      const patienceMs = Math.min(Math.max(2 * lateMs, PATIENCE_MS * rate), MOST_PATIENCE_MS * rate);
      const notBefore = new Date(leavesMs);
      const at = (await take(phoneNumberId, { missed: slot, notBefore, patienceMs })) ?? notBefore;
      lane.drop(slot);
      slot = { ...slot, at, lateUntil: new Date(at.getTime() + patienceMs - CLEARANCE_MS * rate) };
      lane.enter(slot);
    };

    return {
      isNear: async () => {
        await until(goesMs() - askMs() * rate);
        askedAtMs = nowMs();
      },
      leave: async (depart) => {
        if (askedAtMs !== undefined) askingMs = (askingMs + (nowMs() - askedAtMs) / rate) / 2;
        const holdsUntilMs = Math.min(
          nowMs() + ANSWER_HOLDS_MS * rate,
          (askedAtMs ?? Number.POSITIVE_INFINITY) + BELIEVED_MS * rate,
        );
        while (goesMs() <= holdsUntilMs) {
          await until(goesMs());
          const leavesMs = nowMs();
          if (leavesMs > holdsUntilMs) break;
          // Another of the number has left meanwhile; or the clock was set back.
          if (leavesMs < goesMs()) continue;
          if (leavesMs <= slot.lateUntil.getTime() + LATEST_MS * rate) {
            const departed = depart();
            // Not the instant before: a busy machine may stop any process between two lines.
            lane.leave(slot, nowMs());
            onLeaving(clock.toRealMs(Math.max(0, leavesMs - granted.at.getTime())));
            return { departed };
          }
          await takeAnother(leavesMs);
        }
        return { postponedTo: new Date(goesMs()) };
      },
    };
  };

  const lateMs = (phoneNumberId: string): number =>
    (lanes.of(phoneNumberId).inARow() >= MOST_IN_A_ROW ? ON_TIME_MS : CATCHES_UP_MS) * rate;

  return {
    of,
    askMs,
    freeAtMs: (phoneNumberId) => lanes.of(phoneNumberId).clearAtMs() - lateMs(phoneNumberId),
    lateMs,
    expectedMs: (phoneNumberId, slots) => {
      let clearMs = Math.max(nowMs(), lanes.of(phoneNumberId).clearAtMs());
      return slots.map(({ at, intervalMs }) => {
        const leavesMs = Math.max(at.getTime(), clearMs);
        clearMs = leavesMs + apartMs(intervalMs, rate);
        return leavesMs;
      });
    },
    patienceMs: (phoneNumberId, dials, firstLateMs) => {
      const lane = lanes.of(phoneNumberId);
      const inARow = lane.inARow() + dials;
      const isBehind = Math.max(lane.behindMs(), firstLateMs) > ON_TIME_MS * rate;
      const isFair = inARow >= MOST_IN_A_ROW || (inARow >= MANY_IN_A_ROW && !isBehind);
      return (isFair ? FAIR_TURN_MS : PATIENCE_MS) * rate;
    },
  };
}
