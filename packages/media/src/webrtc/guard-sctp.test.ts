import { describe, expect, it } from '@jest/globals';
import { createSctpGuard } from './guard-sctp.ts';

const chunk = (type: number, body: Buffer, length = body.length + 4): Buffer => {
  const header = Buffer.from([type, 0, 0, 0]);
  header.writeUInt16BE(length, 2);
  return Buffer.concat([header, body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
};
const packet = (...chunks: Buffer[]): Buffer => Buffer.concat([Buffer.alloc(12), ...chunks]);
const data = (channel: number, payload: number): Buffer => {
  const body = Buffer.alloc(17);
  body.writeUInt16BE(channel, 4);
  body.writeUInt32BE(payload, 8);
  return chunk(0, body);
};
const sack = (gaps: number, end: number): Buffer => {
  const body = Buffer.alloc(12 + 4 * gaps);
  body.writeUInt16BE(gaps, 8);
  for (let n = 0; n < gaps; n += 1) body.writeUInt16BE(end, 14 + 4 * n);
  return chunk(3, body);
};
const parameter = (length: number): Buffer => Buffer.from([0, 1, 0, length, 0, 0, 0, 0]);

describe('what reaches SCTP [web-calls.6]', () => {
  it.each([
    ['messages of the channel', packet(sack(1, 3), data(0, 51))],
    ['the beginning', packet(chunk(1, Buffer.concat([Buffer.alloc(16), parameter(8)])))],
    ['signs of life', packet(chunk(4, parameter(8)))],
    ['the end', packet(chunk(6, Buffer.alloc(0)))],
  ])('are %s', (_, bytes) => expect(createSctpGuard(0).accepts(bytes)).toBe(true));

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a header alone', packet()],
    ['a chunk without a length', packet(chunk(10, Buffer.alloc(8), 0))],
    ['a chunk longer than the packet', packet(chunk(10, Buffer.alloc(8), 90))],
    ['a parameter without a length', packet(chunk(4, parameter(0)))],
    [
      'a parameter without a length at the beginning',
      packet(chunk(1, Buffer.concat([Buffer.alloc(16), parameter(0)]))),
    ],
    ['a gap of thousands', packet(sack(1, 60_000))],
    ['hundreds of gaps', packet(sack(200, 3))],
    ['gaps that are not there', packet(chunk(3, Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0])))],
    ['another channel', packet(data(1, 51))],
    ['a message that opens a channel', packet(data(0, 50))],
    ['a skip', packet(chunk(192, Buffer.alloc(4)))],
  ])('is not %s', (_, bytes) => expect(createSctpGuard(0).accepts(bytes)).toBe(false));

  it('is not more than a call needs', () => {
    const guard = createSctpGuard(0);
    const accepted = Array.from({ length: 1_000 }, () => guard.accepts(packet(data(0, 51)))).filter(Boolean);
    // The rest is what a slow machine waits.
    expect(accepted.length).toBeLessThan(400);
  });
});
