import { describe, expect, it } from '@jest/globals';
import { type Address, createLatch, type Latch } from './latch.ts';

const SIGNALLED = { address: '203.0.113.7', port: 4_000 };
/** The same host behind a NAT that chose another port. */
const OTHER_PORT = { address: '203.0.113.7', port: 50_000 };
const PEER = { address: '192.0.2.5', port: 6_000 };
const STRANGER = { address: '198.51.100.9', port: 666 };

/** Sends packets every 20 ms; how many of them were accepted. */
function send(latch: Latch, from: Address, count: number, options: { ssrc?: number; fromMs?: number } = {}) {
  const { ssrc = 1, fromMs = 0 } = options;
  let accepted = 0;
  for (let n = 0; n < count; n += 1)
    if (latch.accept(from, { ssrc, sequence: (65_530 + n) % 65_536 }, fromMs + n * 20)) accepted += 1;
  return accepted;
}

describe('createLatch', () => {
  it('sends to the address from SDP until media arrives', () => {
    expect(createLatch(SIGNALLED).remote).toEqual(SIGNALLED);
    expect(createLatch().remote).toBeUndefined();
    expect(createLatch({ ...SIGNALLED, isSendable: false }).remote).toBeUndefined();
  });

  it('accepts that address at once, another port of its host after two packets in sequence', () => {
    expect(send(createLatch(SIGNALLED), SIGNALLED, 1)).toBe(1);
    const natted = createLatch(SIGNALLED);
    expect(natted.accept(OTHER_PORT, { ssrc: 1, sequence: 65_535 }, 0)).toBe(false);
    expect(natted.accept(OTHER_PORT, { ssrc: 1, sequence: 0 }, 20)).toBe(true);
    expect(natted.remote).toEqual(OTHER_PORT);
  });

  it('does not latch to packets out of sequence', () => {
    const latch = createLatch(SIGNALLED);
    expect(latch.accept(OTHER_PORT, { ssrc: 1, sequence: 5 }, 0)).toBe(false);
    expect(latch.accept(OTHER_PORT, { ssrc: 2, sequence: 6 }, 1)).toBe(false);
    expect(latch.accept(OTHER_PORT, { ssrc: 2, sequence: 9 }, 2)).toBe(false);
    expect(latch.remote).toEqual(SIGNALLED);
  });

  it('never latches to a third party, however much it sends and before anybody else does', () => {
    const latch = createLatch(SIGNALLED, [PEER.address]);
    expect(send(latch, STRANGER, 500)).toBe(0);
    expect(latch.remote).toEqual(SIGNALLED);
    expect(send(latch, PEER, 3)).toBe(2);
    expect(latch.remote).toEqual(PEER);
  });

  it('rejects other sources while the source sends, and third parties also when it is silent', () => {
    const latch = createLatch(SIGNALLED);
    send(latch, SIGNALLED, 1);
    expect(send(latch, STRANGER, 50)).toBe(0);
    expect(send(latch, OTHER_PORT, 50)).toBe(0);
    expect(send(latch, STRANGER, 500, { fromMs: 60_000 })).toBe(0);
    expect(latch.remote).toEqual(SIGNALLED);
  });

  it('follows its host to another port once the old one is silent for two seconds', () => {
    const latch = createLatch(SIGNALLED);
    send(latch, SIGNALLED, 1);
    expect(send(latch, OTHER_PORT, 3, { fromMs: 2_000 })).toBe(2);
    expect(latch.remote).toEqual(OTHER_PORT);
  });

  it('returns at once to the address from SDP', () => {
    const latch = createLatch(SIGNALLED, [PEER.address]);
    send(latch, PEER, 5);
    expect(send(latch, SIGNALLED, 1, { fromMs: 100 })).toBe(1);
    expect(latch.remote).toEqual(SIGNALLED);
  });

  it('rejects another stream from the same address while the stream goes on, and takes it when it has stopped', () => {
    const latch = createLatch(SIGNALLED);
    for (let n = 0; n < 50; n += 1) {
      expect(latch.accept(SIGNALLED, { ssrc: 1, sequence: n }, n * 20)).toBe(true);
      expect(latch.accept(SIGNALLED, { ssrc: 9, sequence: n }, n * 20 + 5)).toBe(false);
    }
    expect(latch.accept(SIGNALLED, { ssrc: 2, sequence: 7 }, 49 * 20 + 60)).toBe(true);
  });

  it('latches to any host after ten packets if SDP has an address that leads nowhere and no peer is known', () => {
    const latch = createLatch({ address: '10.0.0.1', port: 4_000, isSendable: false });
    expect(send(latch, STRANGER, 12)).toBe(3);
    expect(latch.remote).toEqual(STRANGER);
    expect(send(latch, PEER, 500, { fromMs: 60_000 })).toBe(0);
  });

  it('starts over with a new SDP', () => {
    const latch = createLatch(SIGNALLED);
    send(latch, SIGNALLED, 1);
    latch.signal(PEER);
    expect(latch.remote).toEqual(PEER);
    expect(send(latch, PEER, 1, { fromMs: 20 })).toBe(1);
    expect(send(latch, SIGNALLED, 50, { fromMs: 5_000 })).toBe(0);
  });
});
