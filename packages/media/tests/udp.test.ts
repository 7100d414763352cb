import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import {
  createMediaSession,
  createMuLawCodec,
  createRtpLine,
  createTicker,
  createUdpTransport,
  type UdpTransport,
} from '../src/index.ts';
import { createManualClock, createRandom, tone } from '../src/testing/index.ts';

const HOST = '127.0.0.1';
const random = createRandom(Date.now());
const PORTS = { min: 30_000, max: 39_999 };

describe('createUdpTransport', () => {
  it('binds an even port and the next one, and skips pairs that are taken', async () => {
    const first = await createUdpTransport({ address: HOST, random, ports: PORTS });
    expect(first.port % 2).toBe(0);
    const pair = { min: first.port, max: first.port + 3 };
    const second = await createUdpTransport({ address: HOST, random: () => 0, ports: pair }).catch(
      () => undefined,
    );
    if (second) expect(second.port).toBe(first.port + 2);
    const full = { min: first.port, max: first.port + 1 };
    await expect(createUdpTransport({ address: HOST, random, ports: full })).rejects.toThrow('No free pair');
    first.close();
    second?.close();
  });

  it('rejects for an address of another machine', async () => {
    await expect(createUdpTransport({ address: '203.0.113.1', random, ports: PORTS })).rejects.toThrow();
  });

  it('carries a call with latching, RTCP and a goodbye', async () => {
    const clock = createManualClock(1_700_000_000_000);
    const [a, b] = [await open(), await open()];
    const ticker = createTicker(clock, (error) => {
      throw error;
    });
    const session = (transport: UdpTransport, remotePort?: number) => {
      const line = createRtpLine({
        transport,
        codec: createMuLawCodec(),
        payloadType: 0,
        cname: 'x',
        nowMs: clock.nowMs,
        random,
        ...(remotePort !== undefined && { remote: { address: HOST, port: remotePort } }),
      });
      return { line, session: createMediaSession(line, ticker) };
    };
    // The first side does not know where the second one is.
    const near = session(a);
    const far = session(b, a.port);
    far.session.addSource(() => tone(400, 20, 8_000));
    await passUntil(() => near.line.remote !== undefined && near.session.stats().roundTripMs !== undefined);
    expect(near.line.remote).toEqual({ address: HOST, port: b.port });
    expect(far.session.stats().packetsReceived).toBeGreaterThan(0);
    // It knows no address of the far end: nine packets in sequence go by before it is latched to.
    expect(near.session.stats().packetsRejected).toBeLessThanOrEqual(9);
    near.session.close();
    far.session.close();

    async function passUntil(condition: () => boolean): Promise<void> {
      for (let n = 0; n < 5_000 && !condition(); n += 1) {
        clock.advance(20);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  });

  it('ignores an unreachable far end and sends nothing after it was closed', async () => {
    const transport = await open();
    const receiver = createSocket('udp4');
    receiver.bind(0, HOST);
    await once(receiver, 'listening');
    const { port } = receiver.address();
    transport.send(Uint8Array.of(1), 'rtp', { address: HOST, port });
    const [message] = await once(receiver, 'message');
    expect([...message]).toEqual([1]);
    receiver.close();
    for (let n = 0; n < 5; n += 1) {
      transport.send(Uint8Array.of(1), 'rtp', { address: HOST, port });
      await new Promise((resolve) => setImmediate(resolve));
    }
    transport.close();
    transport.close();
    transport.send(Uint8Array.of(1), 'rtp', { address: HOST, port });
  });
});

function open(): Promise<UdpTransport> {
  return createUdpTransport({ address: HOST, random, ports: PORTS });
}
