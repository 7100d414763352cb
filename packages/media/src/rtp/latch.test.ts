import { describe, expect, it } from '@jest/globals';
import { createLatch } from './latch.ts';

const SIGNALLED = { address: '10.0.0.1', port: 4_000 };
const NAT = { address: '203.0.113.7', port: 50_000 };
const STRANGER = { address: '198.51.100.9', port: 666 };

describe('createLatch', () => {
  it('sends to the address from SDP until media arrives', () => {
    expect(createLatch(SIGNALLED).remote).toEqual(SIGNALLED);
    expect(createLatch().remote).toBeUndefined();
  });

  it('accepts that address at once, another one after two packets in sequence', () => {
    const expected = createLatch(SIGNALLED);
    expect(expected.accept(SIGNALLED, { ssrc: 1, sequence: 5 }, 0)).toBe(true);
    const natted = createLatch(SIGNALLED);
    expect(natted.accept(NAT, { ssrc: 1, sequence: 65_535 }, 0)).toBe(false);
    expect(natted.accept(NAT, { ssrc: 1, sequence: 0 }, 20)).toBe(true);
    expect(natted.remote).toEqual(NAT);
  });

  it('does not latch to packets out of sequence', () => {
    const latch = createLatch(SIGNALLED);
    expect(latch.accept(STRANGER, { ssrc: 1, sequence: 5 }, 0)).toBe(false);
    expect(latch.accept(STRANGER, { ssrc: 2, sequence: 6 }, 1)).toBe(false);
    expect(latch.accept(STRANGER, { ssrc: 2, sequence: 9 }, 2)).toBe(false);
    expect(latch.remote).toEqual(SIGNALLED);
  });

  it('rejects other sources while the source sends', () => {
    const latch = createLatch(SIGNALLED);
    latch.accept(SIGNALLED, { ssrc: 1, sequence: 5 }, 0);
    for (let n = 0; n < 50; n += 1) expect(latch.accept(STRANGER, { ssrc: 3, sequence: n }, n)).toBe(false);
    expect(latch.remote).toEqual(SIGNALLED);
  });

  it('follows a new address once the old one is silent for two seconds', () => {
    const latch = createLatch(SIGNALLED);
    latch.accept(SIGNALLED, { ssrc: 1, sequence: 5 }, 0);
    expect(latch.accept(NAT, { ssrc: 1, sequence: 6 }, 2_000)).toBe(false);
    expect(latch.accept(NAT, { ssrc: 1, sequence: 7 }, 2_020)).toBe(true);
    expect(latch.remote).toEqual(NAT);
  });

  it('starts over with a new SDP', () => {
    const latch = createLatch(SIGNALLED);
    latch.accept(SIGNALLED, { ssrc: 1, sequence: 5 }, 0);
    latch.signal(NAT);
    expect(latch.remote).toEqual(NAT);
    expect(latch.accept(NAT, { ssrc: 1, sequence: 6 }, 20)).toBe(true);
  });
});
