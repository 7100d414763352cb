import { wrappedDistance } from './sequence.ts';

// Loss and jitter of one received stream, as RFC 3550 defines them (6.4.1 and A.1, A.3, A.8).

const MAX_DROPOUT = 3_000;

export type Reception = {
  /** Counts a packet that arrived at `arrivalMs`. */
  record(packet: { sequence: number; timestamp: number }, arrivalMs: number): void;
  /** Totals since the stream began. `lost` is never negative. */
  totals(): { received: number; expected: number; lost: number; jitterMs: number };
  /** What a report says, and the start of the next interval. Undefined before the first packet. */
  report(): { fractionLost: number; totalLost: number; highestSequence: number; jitter: number } | undefined;
};

export function createReception(clockRate: number): Reception {
  let first: number | undefined;
  let highest = 0;
  let received = 0;
  let jitter = 0;
  let lastTransit: number | undefined;
  let reported = { expected: 0, received: 0 };

  const expected = (): number => (first === undefined ? 0 : highest - first + 1);

  return {
    record({ sequence, timestamp }, arrivalMs) {
      const distance = first === undefined ? 0 : wrappedDistance(highest % 65_536, sequence, 16);
      if (first === undefined || Math.abs(distance) > MAX_DROPOUT) {
        // A stream that starts over, by a restarted sender.
        first = sequence;
        highest = sequence;
        received = 0;
        reported = { expected: 0, received: 0 };
        lastTransit = undefined;
      } else if (distance > 0) highest += distance;
      received += 1;
      const transit = (arrivalMs * clockRate) / 1_000 - timestamp;
      if (lastTransit !== undefined) {
        const change = Math.abs(transit - lastTransit);
        // Across a wrap of the timestamp there is nothing to compare.
        if (change < clockRate * 60) jitter += (change - jitter) / 16;
      }
      lastTransit = transit;
    },
    totals: () => ({
      received,
      expected: expected(),
      lost: Math.max(0, expected() - received),
      jitterMs: (jitter * 1_000) / clockRate,
    }),
    report() {
      if (first === undefined) return undefined;
      const expectedNow = expected() - reported.expected;
      const lostNow = expectedNow - (received - reported.received);
      reported = { expected: expected(), received };
      return {
        fractionLost: expectedNow > 0 && lostNow > 0 ? lostNow / expectedNow : 0,
        totalLost: expected() - received,
        highestSequence: highest,
        jitter,
      };
    },
  };
}
