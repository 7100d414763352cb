// Filters the packets of an untrusted browser before werift's SCTP (0.24). werift itself loops forever on a chunk or parameter of
// length 0, iterates over every number of a gap, and buffers out-of-order data without a limit.

import { createTokenBucket } from '../token-bucket.ts';

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 4;
const DATA = 0;
const INIT = 1;
const INIT_ACK = 2;
const SACK = 3;
const HEARTBEAT = 4;
const HEARTBEAT_ACK = 5;
const ABORT = 6;
const SHUTDOWN = 7;
const SHUTDOWN_ACK = 8;
const ERROR = 9;
const COOKIE_ECHO = 10;
const COOKIE_ACK = 11;
const SHUTDOWN_COMPLETE = 14;
const RESET_STREAMS = 130;

/** Protocol identifiers of strings and binary data, also empty (RFC 8831). The channel is negotiated: no message may open one. */
const PAYLOADS: ReadonlySet<number> = new Set([51, 53, 56, 57]);
/** Few of our messages are in flight at a time. */
const MAX_GAPS = 16;
const MAX_GAP_END = 512;
/** Message fragments: a call has up to 200 key presses, and each message may be retransmitted. */
const MAX_DATA = 300;
const DATA_PER_SECOND = 1;

export type SctpGuard = {
  /** False: the packet must not be handled. */
  accepts(packet: Buffer): boolean;
};

/** `channelId`: id of the only channel. */
export function createSctpGuard(channelId: number): SctpGuard {
  const data = createTokenBucket(MAX_DATA, DATA_PER_SECOND);
  const isSound = (type: number, body: Buffer): boolean => {
    switch (type) {
      case DATA:
        return (
          body.length >= 12 &&
          body.readUInt16BE(4) === channelId &&
          PAYLOADS.has(body.readUInt32BE(8)) &&
          data.take(1)
        );
      case INIT:
      case INIT_ACK:
        return body.length >= 16 && hasSoundParameters(body.subarray(16));
      case SACK:
        return hasSoundGaps(body);
      case HEARTBEAT:
      case HEARTBEAT_ACK:
      case ABORT:
      case ERROR:
      case RESET_STREAMS:
        return hasSoundParameters(body);
      case SHUTDOWN:
      case SHUTDOWN_ACK:
      case SHUTDOWN_COMPLETE:
      case COOKIE_ECHO:
      case COOKIE_ACK:
        return true;
      default:
        return false;
    }
  };
  return {
    accepts: (packet) => {
      let at = HEADER_BYTES;
      while (at < packet.length) {
        if (at + CHUNK_HEADER_BYTES > packet.length) return false;
        const length = packet.readUInt16BE(at + 2);
        if (length < CHUNK_HEADER_BYTES || at + length > packet.length) return false;
        if (!isSound(packet.readUInt8(at), packet.subarray(at + CHUNK_HEADER_BYTES, at + length)))
          return false;
        at += padded(length);
      }
      return at > HEADER_BYTES;
    },
  };
}

function hasSoundParameters(body: Buffer): boolean {
  let at = 0;
  while (at + CHUNK_HEADER_BYTES <= body.length) {
    const length = body.readUInt16BE(at + 2);
    if (length < CHUNK_HEADER_BYTES || at + length > body.length) return false;
    at += padded(length);
  }
  return true;
}

function hasSoundGaps(body: Buffer): boolean {
  if (body.length < 12) return false;
  const gaps = body.readUInt16BE(8);
  const duplicates = body.readUInt16BE(10);
  if (gaps > MAX_GAPS || body.length < 12 + 4 * (gaps + duplicates)) return false;
  return Array.from({ length: gaps }, (_, n) => body.readUInt16BE(14 + 4 * n)).every(
    (end) => end <= MAX_GAP_END,
  );
}

const padded = (length: number): number => length + ((4 - (length % 4)) % 4);
