/** Pseudorandom numbers from a seed (mulberry32), so that a run can be reproduced. */
export type Random = {
  /** From 0 up to but excluding `below`. */
  upTo(below: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** True with this probability. */
  chance(share: number): boolean;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    upTo: (below) => next() * below,
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
    chance: (share) => next() < share,
  };
}
