import type { Clock } from '@parley/kit/time';

/** When a dial may leave, and what comes of it when it could not (D7.8). */
export type Departure = {
  /** Resolves shortly before the slot, when it is time to ask what stands in the way. */
  isNear(): Promise<void>;
  /** To be called with the answer. Null: the dial leaves now. Else its slot is then, and everything is asked again. */
  leave(): Promise<Date | null>;
};

export type Slot = { at: Date; intervalMs: number };

/** A slot in place of one that was missed: nobody leaves in the milliseconds after it that are asked for as well. */
export type WantedSlot = { missed: Slot; notBefore: Date; slackMs: number };

/** The number's clock. */
export type Slots = {
  /** Undefined: the number is gone. */
  take(phoneNumberId: string, wanted: WantedSlot): Promise<Date | undefined>;
  /** A dial left at this instant, and needs no more of its slot's width: what nobody has been granted is free again. */
  giveBack(phoneNumberId: string, slot: Slot, leftAt: Date, slackMs: number): Promise<void>;
};

/** All in real time. What the question takes mostly, and how long its answer holds. */
const ASK_AHEAD_MS = 25;
export const ANSWER_HOLDS_MS = 75;
/** How late a dial may leave without coming too close to the next, and how much later with a slot that was taken anew. */
const LATEST_MS = 3;
const FIRST_SLACK_MS = 10;

/**
 * Slots keep the pace, whoever holds them, because nobody leaves but at its slot: a process that was too busy to be there
 * takes another one from the number's clock, as wide as it was late and more: a machine that is too busy dials slower, and
 * never faster.
 */
export function createDepartures(
  clock: Clock,
  slots: Slots,
): (phoneNumberId: string, slot: Slot) => Departure {
  const nowMs = (): number => clock.now().getTime();
  const until = async (ms: number): Promise<void> => {
    const waitMs = ms - nowMs();
    if (waitMs > 0) await clock.sleep(waitMs);
  };
  const { rate } = clock;

  return (phoneNumberId, granted) => {
    let slot = granted;
    let slackMs = 0;
    return {
      isNear: () => until(slot.at.getTime() - ASK_AHEAD_MS * rate),
      leave: async () => {
        const holdsUntilMs = nowMs() + ANSWER_HOLDS_MS * rate;
        while (slot.at.getTime() <= holdsUntilMs) {
          await until(slot.at.getTime());
          const leavesMs = nowMs();
          if (leavesMs > holdsUntilMs) break;
          const lateMs = leavesMs - slot.at.getTime();
          if (lateMs <= slackMs + LATEST_MS * rate) {
            // Not waited for: the dial leaves. Failing it costs time, and never the pace.
            if (slackMs > 0) slots.giveBack(phoneNumberId, slot, new Date(leavesMs), slackMs).catch(() => {});
            return null;
          }
          slackMs = Math.max(2 * slackMs, 2 * lateMs, FIRST_SLACK_MS * rate);
          const notBefore = new Date(leavesMs);
          const at = (await slots.take(phoneNumberId, { missed: slot, notBefore, slackMs })) ?? notBefore;
          slot = { at, intervalMs: granted.intervalMs + slackMs };
        }
        return slot.at;
      },
    };
  };
}
