import { wrappedDistance } from './sequence.ts';

// Loss and jitter of received streams, as RFC 3550 defines them (6.4.1 and A.1, A.3, A.8).

const MAX_DROPOUT = 3_000;

export type Reception = {
  /** Counts a packet that arrived at `arrivalMs`. */
  record(packet: { sequence: number; timestamp: number }, arrivalMs: number): void;
  /** The next packet starts another stream; totals continue. */
  restart(): void;
  /** Totals of all streams. `lost` is never negative. */
  totals(): { received: number; lost: number; jitterMs: number };
  /** The report block of the current stream; starts the next interval. Undefined before the first packet. */
  report(): { fractionLost: number; totalLost: number; highestSequence: number; jitter: number } | undefined;
};

export function createReception(clockRate: number): Reception {
  let first: number | undefined;
  let highest = 0;
  let received = 0;
  let before = { received: 0, lost: 0 };
  let jitter = 0;
  let lastTransit: number | undefined;
  let reported = { expected: 0, received: 0 };

  const expected = (): number => (first === undefined ? 0 : highest - first + 1);
  const totals = (): { received: number; lost: number } => ({
    received: before.received + received,
    lost: before.lost + Math.max(0, expected() - received),
  });
  const restart = (): void => {
    before = totals();
    first = undefined;
    received = 0;
    reported = { expected: 0, received: 0 };
    lastTransit = undefined;
  };

  return {
    record({ sequence, timestamp }, arrivalMs) {
      const known = first !== undefined;
      const distance = known ? wrappedDistance(highest % 65_536, sequence, 16) : 0;
      // A jump means that the sender restarted.
      if (known && Math.abs(distance) > MAX_DROPOUT) restart();
      if (first === undefined) {
        first = sequence;
        highest = sequence;
      } else if (distance > 0) highest += distance;
      received += 1;
      const transit = (arrivalMs * clockRate) / 1_000 - timestamp;
      if (lastTransit !== undefined) {
        const change = Math.abs(transit - lastTransit);
        // Timestamps across a wrap cannot be compared.
        if (change < clockRate * 60) jitter += (change - jitter) / 16;
      }
      lastTransit = transit;
    },
    restart,
    totals: () => ({ ...totals(), jitterMs: (jitter * 1_000) / clockRate }),
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
