import type { Clock } from '@parley/kit/time';

/** Lets the dials of a number leave one after the other. */
export type Departures = {
  /** Resolves when the dial may leave: at its slot, and an interval after the last one that left from here. */
  depart(phoneNumberId: string, slot: { at: Date; intervalMs: number }): Promise<void>;
  /** Before when no other dial of the number can leave from here; undefined: none is known. */
  nextFreeAt(phoneNumberId: string): Date | undefined;
};

type Line = { waiting: number; nextFreeMs: number; last: Promise<void> };

/**
 * Slots keep the pace; this keeps it when a busy process is late: a dial that left late pushes back those behind it,
 * instead of leaving close before them, and `nextFreeAt` keeps the dialer from granting what could not leave in time.
 */
export function createDepartures(clock: Clock): Departures {
  const lines = new Map<string, Line>();
  return {
    nextFreeAt: (phoneNumberId) => {
      const line = lines.get(phoneNumberId);
      return line && new Date(line.nextFreeMs);
    },
    depart: (phoneNumberId, { at, intervalMs }) => {
      const line = lines.get(phoneNumberId) ?? { waiting: 0, nextFreeMs: 0, last: Promise.resolve() };
      lines.set(phoneNumberId, line);
      const before = line.last;
      let leavesMs = Math.max(at.getTime(), line.nextFreeMs);
      line.waiting += 1;
      line.nextFreeMs = leavesMs + intervalMs;
      const leave = async (): Promise<void> => {
        await before;
        leavesMs = Math.max(leavesMs, line.nextFreeMs - line.waiting * intervalMs);
        const waitMs = leavesMs - clock.now().getTime();
        if (waitMs > 0) await clock.sleep(waitMs);
        line.waiting -= 1;
        const leftMs = clock.now().getTime();
        line.nextFreeMs = Math.max(line.nextFreeMs, leftMs + (line.waiting + 1) * intervalMs);
      };
      line.last = leave();
      return line.last;
    },
  };
}
