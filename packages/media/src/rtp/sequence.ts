/** Signed distance from `from` to `to` of numbers that wrap at 2^bits: positive if `to` is later. */
export function wrappedDistance(from: number, to: number, bits: 16 | 32): number {
  const range = 2 ** bits;
  const distance = (((to - from) % range) + range) % range;
  return distance >= range / 2 ? distance - range : distance;
}

/** Unwraps numbers: each is assumed to be less than half the range from its predecessor. */
export function createUnwrapper(bits: 16 | 32): (value: number) => number {
  let last: number | undefined;
  return (value) => {
    last = last === undefined ? value : last + wrappedDistance(last, value, bits);
    return last;
  };
}
