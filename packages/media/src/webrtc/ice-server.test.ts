import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { classes, Message, methods } from 'werift';
import type { UdpTransport } from '../rtp/udp-transport.ts';
import { createIceServer } from './ice-server.ts';

const FROM = { address: '127.0.0.1', port: 40_000 };
const PACKETS = 100_000;
const MAGIC_COOKIE = Buffer.from([0x21, 0x12, 0xa4, 0x42]);

/** The same numbers for each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

function setUp() {
  let receive: Parameters<UdpTransport['onPacket']>[0] = () => {};
  const sent: Uint8Array[] = [];
  const failures: unknown[] = [];
  const transport: UdpTransport = {
    port: 21_000,
    send: (bytes) => void sent.push(bytes),
    onPacket: (listener) => {
      receive = listener;
    },
    close: () => {},
  };
  const server = createIceServer(transport, (err) => failures.push(err));
  const listener = { onRemote: () => {}, accepts: () => true, onPacket: (_: Buffer) => {} };
  const end = server.open('browser', listener);
  const check = (): Buffer =>
    new Message(methods.BINDING, classes.REQUEST)
      .setAttribute('USERNAME', `${end.ufrag}:browser`)
      .setAttribute('USE-CANDIDATE', null)
      .addMessageIntegrity(Buffer.from(end.password))
      .addFingerprint().bytes;
  return { listener, sent, failures, check, receive: (bytes: Buffer) => receive(bytes, 'rtp', FROM) };
}

it(`survives ${PACKETS} STUN packets of all kinds, and serves the next check [trust.1]`, () => {
  const { sent, check, receive } = setUp();
  const random = seeded(13);
  const valid = check();
  const types = [1, 6, 8, 9, 0x14, 0x15, 0x20, 0x24, 0x25, 0x8022, 0x8028, 0x8029, 0x802a, 0x000c, 0x000d];
  /** Attributes whose lengths, and whose contents, are wrong in all ways. */
  const invented = (): Buffer => {
    const attributes = Array.from({ length: random(6) }, () => {
      const value = randomBytes(random(40));
      const head = Buffer.alloc(4);
      head.writeUInt16BE(random(2) ? (types[random(types.length)] ?? 0) : random(65_536), 0);
      head.writeUInt16BE(random(4) ? value.length : random(65_536), 2);
      return Buffer.concat([head, value, Buffer.alloc(random(4))]);
    });
    const body = Buffer.concat(attributes);
    const head = Buffer.alloc(4);
    head.writeUInt16BE(random(4) ? 1 : random(16_384), 0);
    head.writeUInt16BE(random(4) ? body.length : random(65_536), 2);
    return Buffer.concat([head, MAGIC_COOKIE, randomBytes(12), body]);
  };
  const mutated = (): Buffer => {
    const bytes = Buffer.from(valid);
    for (let n = random(4); n >= 0; n -= 1) bytes[random(bytes.length)] = random(256);
    return random(3) ? bytes : bytes.subarray(0, random(bytes.length));
  };
  for (let n = 0; n < PACKETS; n += 1) receive(n % 2 ? invented() : mutated());
  sent.length = 0;
  receive(check());
  expect(sent).toHaveLength(1);
});

it('drops a packet that cannot be handled: an exception would end all calls of the process [trust.1]', () => {
  const { listener, failures, check, receive } = setUp();
  receive(check());
  listener.onPacket = () => {
    throw new Error('not handled');
  };
  receive(Buffer.from([128, 0, 0, 0]));
  expect(failures).toEqual([new Error('not handled')]);
});
