import type { Clock } from '@parley/kit/time';

/** Lets the dials of a number leave one after the other. */
export type Departures = {
  /** Resolves when the dial may leave: at its slot, and an interval after the last one that left from here. */
  depart(phoneNumberId: string, slot: { at: Date; intervalMs: number }): Promise<void>;
};

/**
 * Slots keep the pace; this keeps it when a busy process is late: a dial that left late pushes back those behind it,
 * instead of leaving close before them.
 */
export function createDepartures(clock: Clock): Departures {
  /** When the latest dial of a number leaves or left, by number. */
  const latest = new Map<string, Promise<number>>();
  return {
    depart: async (phoneNumberId, { at, intervalMs }) => {
      const before = latest.get(phoneNumberId);
      const leave = async (): Promise<number> => {
        const earliestMs = Math.max(at.getTime(), ((await before) ?? 0) + intervalMs);
        const waitMs = earliestMs - clock.now().getTime();
        if (waitMs > 0) await clock.sleep(waitMs);
        return clock.now().getTime();
      };
      const leaving = leave();
      latest.set(phoneNumberId, leaving);
      await leaving;
    },
  };
}
