import { randomFillSync } from 'node:crypto';
import { realNow } from '../time/index.ts';

/** Random bytes are fetched for many ids at once: a call of the system for each would cost more than the id. */
const pool = Buffer.alloc(16 * 256);
let used = pool.length;
let lastMs = 0;
let sequence = 0;

/**
 * A new UUIDv7 (RFC 9562) in lower case. Ids of one process grow strictly, also within a millisecond, so that
 * "ties are broken by id" (D1.5) keeps the order of creation.
 */
export function newId(): string {
  const bytes = randomBlock();
  const nowMs = realNow().getTime();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = bytes.readUInt16BE(6) & 0x7ff;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function randomBlock(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a value is a UUID of any version, in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
