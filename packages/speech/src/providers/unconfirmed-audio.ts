/** Older audio is dropped. */
export const MAX_UNCONFIRMED_MS = 15_000;

/**
 * Audio without final words or without an answer, kept so that another connection or provider can hear it again. Positions are
 * milliseconds since the first sample of the stream.
 */
export type UnconfirmedAudio = {
  readonly startMs: number;
  readonly endMs: number;
  /** Copies. */
  push(samples: Int16Array): Int16Array;
  confirm(untilMs: number): void;
  chunks(): readonly Int16Array[];
};

export function createUnconfirmedAudio(sampleRate: number): UnconfirmedAudio {
  const chunks: Int16Array[] = [];
  let startSample = 0;
  let endSample = 0;
  const maxSamples = (sampleRate * MAX_UNCONFIRMED_MS) / 1_000;
  const toMs = (samples: number): number => (samples * 1_000) / sampleRate;

  const dropFirst = (): void => {
    startSample += chunks.shift()?.length ?? 0;
  };

  return {
    get startMs() {
      return toMs(startSample);
    },
    get endMs() {
      return toMs(endSample);
    },
    push: (samples) => {
      const copy = samples.slice();
      chunks.push(copy);
      endSample += copy.length;
      while (endSample - startSample > maxSamples && chunks.length > 1) dropFirst();
      return copy;
    },
    confirm: (untilMs) => {
      const until = (untilMs * sampleRate) / 1_000;
      for (let first = chunks[0]; first && startSample + first.length <= until; first = chunks[0])
        dropFirst();
    },
    chunks: () => chunks,
  };
}
