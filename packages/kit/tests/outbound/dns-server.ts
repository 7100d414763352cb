import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parseAddress } from '../../src/outbound/ip-address.ts';

/** What a name has; `silent` is never answered, a missing name does not exist. */
export type Zone = Record<string, { a?: string[]; aaaa?: string[] } | 'silent'>;

const TYPES = { 1: 'a', 28: 'aaaa' } as const;

const readName = (query: Buffer): { name: string; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
};

const answerTo = (query: Buffer, zone: Zone): Buffer | undefined => {
  const { name, end } = readName(query);
  const entry = zone[name];
  if (entry === 'silent') return undefined;
  const type = query.readUInt16BE(end);
  const key = TYPES[type as keyof typeof TYPES];
  const addresses = (key && entry?.[key]) ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (entry ? 0 : 3), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = Buffer.from(parseAddress(address)?.toByteArray() ?? []);
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([header, query.subarray(12, end + 4), ...records]);
};

/** A name server on loopback; `asked` has the queries in order. */
export async function dnsServer(zone: Zone): Promise<{ address: string; asked: string[]; close(): void }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    asked.push(readName(query).name);
    const answer = answerTo(query, zone);
    if (answer) socket.send(answer, peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}
