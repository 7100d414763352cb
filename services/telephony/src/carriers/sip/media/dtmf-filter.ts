/** How a far end reports the keys that it presses: with the audio (RFC 4733), or by INFO. */
type DtmfSource = 'audio' | 'info';

export type DtmfFilter = {
  /** Whether a key from this source counts. */
  accepts(source: DtmfSource): boolean;
  /** The far end is another device now, or has other audio. */
  reset(): void;
};

/** Some far ends report each key by both. Only the source that they use first counts [sip.9]. */
export function createDtmfFilter(): DtmfFilter {
  let used: DtmfSource | undefined;
  return {
    accepts(source) {
      used ??= source;
      return used === source;
    },
    reset() {
      used = undefined;
    },
  };
}
