import { randomFillSync } from 'node:crypto';
import { realNow } from '../time/index.ts';

/**
 * Random bytes are generated and encoded for many ids at once, since a system call and an encoding per id would cost more than the id.
 * Eight bytes belong to the id, two may start a sequence.
 */
const BLOCK_BYTES = 10;
const BLOCK_DIGITS = 2 * BLOCK_BYTES;
const pool = Buffer.alloc(BLOCK_BYTES * 256);
let digits = '';
let used = 0;
let lastMs = 0;
/** The first two groups of an id of `lastMs`. */
let stamp = '';
let sequence = 0;

/**
 * A new UUIDv7 (RFC 9562) in lower case. The ids of a process increase strictly, also within a millisecond, so that lists whose ties are
 * broken by id keep the order of creation [general.16].
 */
export function newId(): string {
  const at = nextBlock();
  const nowMs = realNow().getTime();
  if (nowMs > lastMs) {
    setStamp(nowMs);
    sequence = Number.parseInt(digits.slice(at + 16, at + 20), 16) & 0x7ff;
  } else if (++sequence > 0xfff) {
    setStamp(lastMs + 1);
    sequence = 0;
  }
  const version = (0x7000 | sequence).toString(16);
  return `${stamp}-${version}-${digits.slice(at, at + 4)}-${digits.slice(at + 4, at + 16)}`;
}

function setStamp(ms: number): void {
  lastMs = ms;
  const hex = ms.toString(16).padStart(12, '0');
  stamp = `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Where the next block begins in `digits`. */
function nextBlock(): number {
  if (used === digits.length) {
    randomFillSync(pool);
    // The variant's two bits.
    for (let at = 0; at < pool.length; at += BLOCK_BYTES) pool[at] = ((pool[at] ?? 0) & 0x3f) | 0x80;
    digits = pool.toString('hex');
    used = 0;
  }
  used += BLOCK_DIGITS;
  return used - BLOCK_DIGITS;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a value is a UUID of any version, in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
