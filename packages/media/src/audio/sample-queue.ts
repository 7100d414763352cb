/** A first-in, first-out queue of samples that grows as needed. */
export type SampleQueue = {
  readonly length: number;
  push(samples: Int16Array): void;
  /** Removes and returns the oldest samples, at most `count`. */
  shift(count: number): Int16Array;
  clear(): void;
};

const MIN_CAPACITY = 1_024;

export function createSampleQueue(): SampleQueue {
  let buffer = new Int16Array(MIN_CAPACITY);
  let start = 0;
  let end = 0;

  const reserve = (count: number): void => {
    if (end + count <= buffer.length) return;
    const held = buffer.subarray(start, end);
    let capacity = MIN_CAPACITY;
    while (capacity < held.length + count) capacity *= 2;
    const target = capacity > buffer.length || start === 0 ? new Int16Array(capacity) : buffer;
    target.set(held);
    buffer = target;
    end -= start;
    start = 0;
  };

  return {
    get length() {
      return end - start;
    },
    push(samples) {
      reserve(samples.length);
      buffer.set(samples, end);
      end += samples.length;
    },
    shift(count) {
      const taken = buffer.slice(start, Math.min(end, start + count));
      start += taken.length;
      // Frees the memory of a long answer, which would otherwise stay allocated for the rest of the call.
      if (start === end) {
        start = 0;
        end = 0;
        if (buffer.length > 16 * MIN_CAPACITY) buffer = new Int16Array(MIN_CAPACITY);
      }
      return taken;
    },
    clear() {
      buffer = new Int16Array(MIN_CAPACITY);
      start = 0;
      end = 0;
    },
  };
}
