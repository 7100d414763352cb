/** How a far end reports the keys that it presses: with the audio (RFC 4733), or by INFO. */
type Way = 'audio' | 'info';

export type DtmfFilter = {
  /** Whether a key that is reported in this way counts. */
  accepts(way: Way): boolean;
  /** The far end is another device now, or has other audio. */
  reset(): void;
};

/** Some far ends report each key in both ways. Only the way that they use first counts [sip.9]. */
export function createDtmfFilter(): DtmfFilter {
  let used: Way | undefined;
  return {
    accepts(way) {
      used ??= way;
      return used === way;
    },
    reset() {
      used = undefined;
    },
  };
}
