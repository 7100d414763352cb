/** How a far end reports the keys that it presses: with the audio (RFC 4733), or by INFO. */
type Way = 'audio' | 'info';

export type KeyWay = {
  /** Whether a key that is reported in this way counts. */
  counts(way: Way): boolean;
  /** The far end is another device by now, or has other audio. */
  reset(): void;
};

/** Some far ends report each key in both ways. The first way that they use counts, and nothing of the other one [sip.9]. */
export function createKeyWay(): KeyWay {
  let used: Way | undefined;
  return {
    counts(way) {
      used ??= way;
      return used === way;
    },
    reset() {
      used = undefined;
    },
  };
}
