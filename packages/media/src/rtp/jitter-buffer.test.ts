import { describe, expect, it } from '@jest/globals';
import { createJitterBuffer, type JitterBuffer } from './jitter-buffer.ts';

const UNITS = 160;

describe('createJitterBuffer', () => {
  it('is idle until the first packet is due', () => {
    const buffer = createJitterBuffer(8_000);
    expect(buffer.next(0).kind).toBe('idle');
    insert(buffer, 0, 0);
    expect(buffer.next(20).kind).toBe('idle');
    insert(buffer, 1, 20);
    expect(play(buffer, 40)).toBe(0);
    expect(play(buffer, 60)).toBe(1);
  });

  it('orders packets, across wraps of both counters', () => {
    const buffer = createJitterBuffer(8_000);
    const base = { sequence: 65_535, timestamp: 2 ** 32 - UNITS };
    insert(buffer, 0, 0, base);
    insert(buffer, 2, 10, base);
    insert(buffer, 1, 20, base);
    expect([100, 120, 140].map((now) => play(buffer, now))).toEqual([0, 1, 2]);
  });

  it('reports a gap as lost, with the packet after it', () => {
    const buffer = createJitterBuffer(8_000);
    for (const n of [0, 3]) insert(buffer, n, n * 20);
    expect(play(buffer, 60)).toBe(0);
    expect(buffer.next(80)).toEqual({ kind: 'lost', units: UNITS });
    expect(buffer.next(100)).toEqual({ kind: 'lost', units: UNITS, next: Uint8Array.of(3) });
    expect(play(buffer, 120)).toBe(3);
  });

  it('waits for late packets and plays them, for 60 ms', () => {
    const buffer = createJitterBuffer(8_000);
    insert(buffer, 0, 0);
    play(buffer, 60);
    expect(buffer.next(80).kind).toBe('late');
    buffer.held(UNITS);
    insert(buffer, 1, 95);
    expect(play(buffer, 100)).toBe(1);
    for (const now of [120, 140, 160]) {
      expect(buffer.next(now).kind).toBe('late');
      buffer.held(UNITS);
    }
    expect(buffer.next(180).kind).toBe('idle');
  });

  it('subtracts time spent waiting from a following gap', () => {
    const buffer = createJitterBuffer(8_000);
    insert(buffer, 0, 0);
    play(buffer, 60);
    for (const now of [80, 100]) {
      buffer.next(now);
      buffer.held(UNITS);
    }
    insert(buffer, 3, 110);
    expect(play(buffer, 120)).toBe(3);
  });

  it('rejects duplicates and late packets', () => {
    const buffer = createJitterBuffer(8_000);
    expect(insert(buffer, 1, 0)).toBe('stored');
    expect(insert(buffer, 1, 0)).toBe('duplicate');
    play(buffer, 60);
    expect(insert(buffer, 1, 60)).toBe('late');
    expect(insert(buffer, 0, 60)).toBe('late');
  });

  it('delays more when packets jitter, and less when they no longer do', () => {
    const buffer = createJitterBuffer(8_000);
    const target = (from: number, jitterMs: number): number => {
      for (let n = from; n < from + 400; n += 1) {
        insert(buffer, n, n * 20 + (n % 4) * (jitterMs / 3));
        const item = buffer.next(n * 20 + 5);
        if (item.kind === 'packet') buffer.played(UNITS);
      }
      return buffer.stats().targetMs;
    };
    const calm = target(0, 0);
    const rough = target(400, 90);
    expect(calm).toBe(20);
    expect(rough).toBeGreaterThanOrEqual(100);
    expect(rough).toBeLessThanOrEqual(120);
    expect(target(800, 0)).toBe(20);
  });

  it('stores a bounded number of packets', () => {
    const buffer = createJitterBuffer(8_000);
    for (let n = 0; n < 5_000; n += 1) insert(buffer, n, n / 10);
    expect(buffer.stats().packets).toBeLessThanOrEqual(120);
  });

  it('starts over when timestamps jump', () => {
    const buffer = createJitterBuffer(8_000);
    insert(buffer, 0, 0);
    play(buffer, 60);
    insert(buffer, 1, 80, { sequence: 0, timestamp: 2_000_000_000 });
    expect(buffer.next(85).kind).toBe('idle');
    expect(play(buffer, 140)).toBe(1);
  });

  it('resumes after a pause in which the timestamps paused too', () => {
    const buffer = createJitterBuffer(8_000);
    for (let n = 0; n < 100; n += 1) {
      insert(buffer, n, n * 20);
      if (buffer.next(n * 20).kind === 'packet') buffer.played(UNITS);
    }
    for (let now = 2_000; now < 2_400; now += 20) if (buffer.next(now).kind === 'late') buffer.held(UNITS);
    insert(buffer, 100, 3_500);
    expect(buffer.stats().targetMs).toBeLessThanOrEqual(40);
    expect(play(buffer, 3_560)).toBe(100);
  });
});

function insert(
  buffer: JitterBuffer,
  n: number,
  arrivalMs: number,
  first = { sequence: 0, timestamp: 0 },
): string {
  const sequence = (first.sequence + n) % 65_536;
  const timestamp = (first.timestamp + n * UNITS) % 2 ** 32;
  return buffer.insert({ sequence, timestamp, payload: Uint8Array.of(n) }, arrivalMs);
}

/** The packet that is played, by its number. */
function play(buffer: JitterBuffer, nowMs: number): number | undefined {
  const item = buffer.next(nowMs);
  if (item.kind !== 'packet') return undefined;
  buffer.played(UNITS);
  return item.payload[0];
}
