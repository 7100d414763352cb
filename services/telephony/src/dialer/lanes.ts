import type { Clock } from '@parley/kit/time';

/** `lateUntil`: no dial of another process leaves for an interval after that, and a little longer. */
export type Slot = { at: Date; intervalMs: number; lateUntil: Date };

/** The dials of a number that leave from this process, one behind the other. All times in milliseconds of the stack. */
type Lane = {
  /** A dial is granted. */
  enter(slot: Slot): void;
  leave(slot: Slot, atMs: number): void;
  /** It has another slot, or none. */
  drop(slot: Slot): void;
  /** When the next dial may leave after the last that has left. */
  freeAtMs(): number;
  /** The same, once all those have left that are granted. */
  clearAtMs(): number;
  /** By how much that is later than their slots. */
  behindMs(): number;
  /** How many were granted since another process had as good a turn. */
  inARow(): number;
};

export type Lanes = { of(phoneNumberId: string): Lane };

/** How much later than it is told a timer may wake a dial. Real time. */
export const LATEST_MS = 4;
/**
 * How much closer than the interval two dials may come, so that a late one doesn't make all that follow late: as much as
 * that, and an eighth of the interval at most, which is what a number that catches up dials faster by.
 */
const CLOSEST_OF = 8;
export function apartMs(intervalMs: number, rate: number): number {
  return intervalMs - Math.min(LATEST_MS * rate, intervalMs / CLOSEST_OF);
}
/**
 * Where the others keep no further away than this they have as good a turn. Real time. The last dials before it may still be
 * late by nearly as much: one that misses its slot while another process has the number waits for as long as the others do,
 * and everybody with it.
 */
export const FAIR_TURN_MS = 200;
/**
 * So much sooner than the others may dial ours have left: a process may stand still between its last look at the clock and
 * the dial, for as long as its garbage is collected or another has its processor. Real time.
 */
export const CLEARANCE_MS = 15;
/** Lanes that nobody has used for so long keep nobody apart any more, at whatever pace. Real time. */
const IDLE_MS = 600_000;
const MANY = 1_000;

export function createLanes(clock: Clock): Lanes {
  const lanes = new Map<string, { lane: Lane; usedMs: number }>();
  const nowMs = (): number => clock.now().getTime();

  const forgetIdle = (): void => {
    const idleMs = nowMs() - IDLE_MS * clock.rate;
    for (const [id, { usedMs }] of lanes) if (usedMs < idleMs) lanes.delete(id);
  };

  return {
    of: (phoneNumberId) => {
      if (lanes.size >= MANY && !lanes.has(phoneNumberId)) forgetIdle();
      const lane = lanes.get(phoneNumberId)?.lane ?? createLane(clock);
      lanes.set(phoneNumberId, { lane, usedMs: nowMs() });
      return lane;
    },
  };
}

function createLane(clock: Clock): Lane {
  const { rate } = clock;
  const waiting = new Set<Slot>();
  let freeAtMs = Number.NEGATIVE_INFINITY;
  /** Where the slots end that were granted. */
  let endMs = 0;
  let inARow = 0;
  const behind = (ms: number, { intervalMs }: Slot): number => ms + apartMs(intervalMs, rate);

  const clearAtMs = (): number => {
    const nowMs = clock.now().getTime();
    let clearMs = freeAtMs;
    for (const slot of waiting) {
      // It was given up, or takes another.
      if (slot.lateUntil.getTime() + LATEST_MS * rate < nowMs) waiting.delete(slot);
      else clearMs = behind(Math.max(clearMs, slot.at.getTime(), nowMs), slot);
    }
    return clearMs;
  };

  return {
    enter: (slot) => {
      waiting.add(slot);
      endMs = Math.max(endMs, slot.at.getTime() + slot.intervalMs);
      const patienceMs = slot.lateUntil.getTime() - slot.at.getTime();
      // Slots are whole milliseconds.
      inARow = patienceMs <= (FAIR_TURN_MS - CLEARANCE_MS) * rate + 1 ? 0 : inARow + 1;
    },
    leave: (slot, atMs) => {
      waiting.delete(slot);
      freeAtMs = behind(atMs, slot);
    },
    drop: (slot) => void waiting.delete(slot),
    freeAtMs: () => freeAtMs,
    clearAtMs,
    behindMs: () => Math.max(0, clearAtMs() - endMs),
    inARow: () => inARow,
  };
}
