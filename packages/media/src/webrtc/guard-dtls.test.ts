import { describe, expect, it } from '@jest/globals';
import { createDtlsGuard } from './guard-dtls.ts';

const CLIENT_HELLO = 1;
const CERTIFICATE = 11;
const CLIENT_KEY_EXCHANGE = 16;
const record = (type: number, epoch: number, content: Buffer): Buffer => {
  const header = Buffer.from([type, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 1, 0, 0]);
  header.writeUInt16BE(content.length, 11);
  return Buffer.concat([header, content]);
};
const message = (length: number, offset: number, fragment: Buffer, type = CLIENT_HELLO): Buffer => {
  const header = Buffer.alloc(12, 0);
  header[0] = type;
  header.writeUIntBE(length, 1, 3);
  header.writeUIntBE(offset, 6, 3);
  header.writeUIntBE(fragment.length, 9, 3);
  return Buffer.concat([header, fragment]);
};
const HELLO = record(22, 0, message(40, 0, Buffer.alloc(40)));
const FINISHED = record(22, 1, Buffer.alloc(48));
const DATA = record(23, 1, Buffer.alloc(60));

describe('what reaches DTLS [web-calls.6]', () => {
  it('is a handshake at first, and data once it is connected', () => {
    const guard = createDtlsGuard();
    expect(guard.keep(HELLO, false)).toEqual(HELLO);
    expect(guard.keep(DATA, false)).toBeUndefined();
    expect(guard.keep(DATA, true)).toEqual(DATA);
    expect(guard.keep(Buffer.concat([HELLO, FINISHED]), true)).toEqual(FINISHED);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a byte', Buffer.from([22])],
    ['a truncated header', HELLO.subarray(0, 12)],
    ['a truncated record', HELLO.subarray(0, -1)],
    ['a truncated message', record(22, 0, Buffer.alloc(11))],
    ['a message of 16 MB', record(22, 0, message(0xffffff, 0, Buffer.alloc(10)))],
    ['a fragment that overlaps the end', record(22, 0, message(20, 15, Buffer.alloc(10)))],
    ['another type', record(24, 0, Buffer.alloc(10))],
    ['an encrypted message that is no Finished', record(22, 1, Buffer.alloc(200))],
  ])('is not %s', (_, datagram) => {
    expect(createDtlsGuard().keep(datagram, false)).toBeUndefined();
  });

  it('is no handshake without an end', () => {
    const guard = createDtlsGuard();
    const certificate = record(22, 0, message(40, 0, Buffer.alloc(40), CERTIFICATE));
    const kept = Array.from({ length: 200 }, () => guard.keep(certificate, false)).filter(Boolean);
    expect(kept).toHaveLength(64);
  });

  it('is a dozen at most of each message that costs a key', () => {
    const guard = createDtlsGuard();
    const keptOf = (type: number): number => {
      const costly = record(22, 0, message(40, 0, Buffer.alloc(40), type));
      return Array.from({ length: 200 }, () => guard.keep(costly, false)).filter(Boolean).length;
    };
    expect([keptOf(CLIENT_HELLO), keptOf(CLIENT_KEY_EXCHANGE), keptOf(CERTIFICATE)]).toEqual([12, 12, 40]);
  });

  it('is no dozen in one record either', () => {
    const hellos = Buffer.concat(Array.from({ length: 13 }, () => message(40, 0, Buffer.alloc(40))));
    expect(createDtlsGuard().keep(record(22, 0, hellos), false)).toBeUndefined();
  });
});
