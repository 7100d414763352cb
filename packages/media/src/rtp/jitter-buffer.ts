import { createDelayEstimate } from './delay-estimate.ts';
import { createUnwrapper } from './sequence.ts';

// Orders packets and decides when each is due. All positions are unwrapped timestamps of the stream.
//
//   state      next()                                                    leaves it
//   idle       'idle'                                                    insert → waiting
//   waiting    'idle' until the first packet is due                      due → playing
//   playing    the packet at the position; 'lost' if only a later         60 ms without any packet → idle
//              one has arrived; 'late' if none has
//
// A packet is due at the time an undelayed packet would have arrived plus a delay that follows the jitter: most packets have arrived by then. While
// none has arrived the position stays ('late'), so that a late packet is still played; the added delay is
// reported as surplus, and the reader plays a little faster until it is gone.

const DEFAULT_MIN_DELAY_MS = 20;
const DEFAULT_MAX_DELAY_MS = 240;
/** The delay until a second of packets has been measured. */
const INITIAL_SPREAD_MS = 20;
const INITIAL_PACKETS = 50;
const MAX_HELD_MS = 60;
/** Maximum stored packets: more than a second; a sender of more is attacking or defective. */
const MAX_PACKETS = 120;
/** A packet this far from its expected arrival starts a new stream, such as after a pause during which the sender's timestamps paused too. */
const MAX_JUMP_MS = 3_000;
const MAX_JUMP_AFTER_PAUSE_MS = 250;

type BufferedPacket = {
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Uint8Array;
};

export type JitterItem =
  /** Decode it and call `played` with its duration. */
  | { kind: 'packet'; payload: Uint8Array }
  /** Conceal `units` timestamp units (at most 20 ms); `next` is the payload right after the gap. The position has already advanced. */
  | { kind: 'lost'; units: number; next?: Uint8Array }
  /** Nothing has arrived: conceal; the position does not advance. */
  | { kind: 'late' }
  /** The stream has not begun, or has paused. */
  | { kind: 'idle' };

export type InsertOutcome = 'stored' | 'late' | 'duplicate' | 'dropped';

export type JitterBuffer = {
  insert(packet: BufferedPacket, arrivalMs: number): InsertOutcome;
  /** What to play next. `elapsedMs` is how long the previous 'late' lasted, 0 otherwise. */
  next(nowMs: number): JitterItem;
  /** The packet that `next` returned lasted this many timestamp units. */
  played(units: number): void;
  /** Audio concealed without advancing, in timestamp units: shortens the gap that follows. */
  held(units: number): void;
  /** How much later than necessary `position - bufferedUnits` is played, in milliseconds; negative if too early. */
  surplusMs(nowMs: number, bufferedUnits: number): number;
  /** Local time at which the audio at `position - bufferedUnits` arrived, or would have without jitter. */
  arrivedAtMs(nowMs: number, bufferedUnits: number): number;
  /** Resets the buffer; the next packet starts a new stream. */
  reset(): void;
  /** Current target of the delay and number of stored packets. */
  stats(): { targetMs: number; packets: number };
};

type Stored = BufferedPacket & { readonly position: number };

export function createJitterBuffer(
  clockRate: number,
  { minDelayMs = DEFAULT_MIN_DELAY_MS, maxDelayMs = DEFAULT_MAX_DELAY_MS } = {},
): JitterBuffer {
  const toMs = (units: number): number => (units * 1_000) / clockRate;
  const maxGapUnits = (20 * clockRate) / 1_000;
  let state: 'idle' | 'waiting' | 'playing' = 'idle';
  let stored: Stored[] = [];
  let position = Number.NEGATIVE_INFINITY;
  let heldUnits = 0;
  let unwrap = createUnwrapper(32);
  let delays = createDelayEstimate();
  let inserted = 0;

  const targetMs = (): number =>
    Math.min(
      maxDelayMs,
      minDelayMs + Math.max(inserted < INITIAL_PACKETS ? INITIAL_SPREAD_MS : 0, delays.spreadMs),
    );
  const dueMs = (at: number): number => toMs(at) + delays.baseMs + targetMs();
  const reset = (): void => {
    state = 'idle';
    stored = [];
    position = Number.NEGATIVE_INFINITY;
    heldUnits = 0;
    unwrap = createUnwrapper(32);
    delays = createDelayEstimate();
    inserted = 0;
  };

  const gap = (first: Stored): JitterItem => {
    const missing = first.position - position;
    const skipped = Math.min(heldUnits, missing);
    heldUnits -= skipped;
    position += skipped;
    const units = Math.min(maxGapUnits, first.position - position);
    if (units === 0) return { kind: 'packet', payload: (stored.shift() as Stored).payload };
    position += units;
    return position === first.position
      ? { kind: 'lost', units, next: first.payload }
      : { kind: 'lost', units };
  };

  return {
    insert(packet, arrivalMs) {
      let at = unwrap(packet.timestamp);
      const expectedMs = inserted > 0 ? toMs(at) + delays.baseMs : arrivalMs;
      if (Math.abs(arrivalMs - expectedMs) > (state === 'idle' ? MAX_JUMP_AFTER_PAUSE_MS : MAX_JUMP_MS)) {
        reset();
        at = unwrap(packet.timestamp);
      }
      delays.record(arrivalMs - toMs(at), arrivalMs);
      inserted += 1;
      if (at < position) return 'late';
      let index = stored.length;
      while (index > 0 && (stored[index - 1] as Stored).position > at) index -= 1;
      if (stored[index - 1]?.position === at) return 'duplicate';
      if (stored.length >= MAX_PACKETS) return 'dropped';
      stored.splice(index, 0, { ...packet, position: at });
      if (state === 'idle') state = 'waiting';
      return 'stored';
    },
    next(nowMs) {
      const first = stored[0];
      if (state === 'idle') return { kind: 'idle' };
      if (state === 'waiting') {
        if (!first || nowMs < dueMs(first.position)) return { kind: 'idle' };
        state = 'playing';
        position = first.position;
        heldUnits = 0;
      }
      if (!first) {
        if (toMs(heldUnits) < MAX_HELD_MS) return { kind: 'late' };
        state = 'idle';
        return { kind: 'idle' };
      }
      if (first.position > position) return gap(first);
      stored.shift();
      return { kind: 'packet', payload: first.payload };
    },
    played(units) {
      position += units;
      heldUnits = 0;
      // Packets that overlap with played audio: the sender changed its packet duration.
      while (stored[0] && stored[0].position < position) stored.shift();
    },
    held(units) {
      heldUnits += units;
    },
    surplusMs: (nowMs, bufferedUnits) => (state === 'playing' ? nowMs - dueMs(position - bufferedUnits) : 0),
    arrivedAtMs: (nowMs, bufferedUnits) =>
      state === 'playing' ? toMs(position - bufferedUnits) + delays.baseMs : nowMs - targetMs(),
    reset,
    stats: () => ({ targetMs: targetMs(), packets: stored.length }),
  };
}
