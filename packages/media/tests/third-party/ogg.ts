const RATE = 48_000;
const PACKET_UNITS = 960;
const PRE_SKIP = 312;
const FIRST_PAGE = 2;
const LAST_PAGE = 4;

/** An Ogg file (RFC 7845) of mono Opus packets of 20 ms, one page each. */
export function writeOggOpus(packets: readonly Uint8Array[]): Buffer {
  const head = Buffer.from([...Buffer.from('OpusHead'), 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(RATE, 12);
  const tags = Buffer.concat([
    Buffer.from('OpusTags'),
    Buffer.from([4, 0, 0, 0]),
    Buffer.from('test'),
    Buffer.alloc(4),
  ]);
  const pages = [page(head, 0, 0, FIRST_PAGE), page(tags, 1, 0, 0)];
  packets.forEach((packet, n) => {
    const isLast = n === packets.length - 1;
    pages.push(page(packet, n + 2, (n + 1) * PACKET_UNITS, isLast ? LAST_PAGE : 0));
  });
  return Buffer.concat(pages);
}

function page(packet: Uint8Array, sequence: number, granule: number, flags: number): Buffer {
  const segments = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255];
  const header = Buffer.alloc(27 + segments.length);
  header.write('OggS', 0, 'latin1');
  header.writeUInt8(flags, 5);
  header.writeBigUInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(1, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(segments.length, 26);
  header.set(segments, 27);
  const bytes = Buffer.concat([header, packet]);
  bytes.writeUInt32LE(checksum(bytes), 22);
  return bytes;
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum < 0 ? 0x04c1_1db7 : 0);
  }
  return sum >>> 0;
}
