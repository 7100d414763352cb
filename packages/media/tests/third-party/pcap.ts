const RAW_IP = 101;
const UDP = 17;

/** A capture file of UDP datagrams from one host to another, for programs that dissect them. */
export function writePcap(datagrams: readonly { bytes: Uint8Array; atMs: number; port: number }[]): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2_c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(65_535, 16);
  head.writeUInt32LE(RAW_IP, 20);
  return Buffer.concat([head, ...datagrams.map(toRecord)]);
}

function toRecord({ bytes, atMs, port }: { bytes: Uint8Array; atMs: number; port: number }): Buffer {
  const length = 28 + bytes.length;
  const record = Buffer.alloc(16 + 28);
  record.writeUInt32LE(Math.floor(atMs / 1_000), 0);
  record.writeUInt32LE(Math.floor((atMs % 1_000) * 1_000), 4);
  record.writeUInt32LE(length, 8);
  record.writeUInt32LE(length, 12);
  record.writeUInt8(0x45, 16);
  record.writeUInt16BE(length, 18);
  record.writeUInt8(64, 24);
  record.writeUInt8(UDP, 25);
  record.set([192, 0, 2, 2], 28);
  record.set([192, 0, 2, 1], 32);
  record.writeUInt16BE(5_000 + (port % 2), 36);
  record.writeUInt16BE(port, 38);
  record.writeUInt16BE(8 + bytes.length, 40);
  return Buffer.concat([record, bytes]);
}
