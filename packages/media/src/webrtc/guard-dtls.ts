// Filters the datagrams of an untrusted browser before werift's DTLS (0.24). werift itself throws on a truncated record, which would
// end the process, allocates the length that a fragment claims, makes a key pair for every ClientHello, and restarts the handshake
// when one arrives on an established connection.

const ALERT = 21;
const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
const CHANGE_CIPHER_SPEC = 20;
const CLIENT_HELLO = 1;
const CLIENT_KEY_EXCHANGE = 16;
const FINISHED = 20;
const RECORD_HEADER_BYTES = 13;
const HANDSHAKE_HEADER_BYTES = 12;
/** The longest message is a certificate. */
const MAX_HANDSHAKE_BYTES = 8_192;
/** An encrypted Finished has 48. */
const MAX_FINISHED_BYTES = 64;
/** Per connection: a handshake needs six messages, and each may be lost a few times. */
const MAX_HANDSHAKES = 64;
/**
 * Of each of those that cost some 5 ms, for a key pair or the common secret. Two hellos are needed, and browsers repeat a message
 * without an answer after 50, 100, 200 ms and so on.
 */
const MAX_COSTLY = 12;

export type DtlsGuard = {
  /** The records of a datagram that may be handled, or undefined if there are none. */
  keep(datagram: Buffer, isConnected: boolean): Buffer | undefined;
};

export function createDtlsGuard(): DtlsGuard {
  let handshakesLeft = MAX_HANDSHAKES;
  const costlyLeft = new Map([
    [CLIENT_HELLO, MAX_COSTLY],
    [CLIENT_KEY_EXCHANGE, MAX_COSTLY],
  ]);
  /** Whether the connection may have these messages, which then count. */
  const takeAll = (types: readonly number[]): boolean =>
    types.every((type) => {
      const left = Math.min(handshakesLeft, costlyLeft.get(type) ?? handshakesLeft);
      if (left === 0) return false;
      handshakesLeft -= 1;
      if (costlyLeft.has(type)) costlyLeft.set(type, left - 1);
      return true;
    });
  const isHandled = (record: Buffer, isConnected: boolean): boolean => {
    const isEncrypted = record.readUInt16BE(3) > 0;
    switch (record[0]) {
      case CHANGE_CIPHER_SPEC:
        return !isConnected;
      case ALERT:
        return isEncrypted || !isConnected;
      case APPLICATION_DATA:
        return isEncrypted && isConnected;
      case HANDSHAKE: {
        // Once connected, only a repeated Finished: ours was lost.
        if (isConnected && !isEncrypted) return false;
        const content = record.subarray(RECORD_HEADER_BYTES);
        const messages = isEncrypted ? encryptedMessages(content) : plainMessages(content);
        return messages.length > 0 && takeAll(messages);
      }
      default:
        return false;
    }
  };
  return {
    keep: (datagram, isConnected) => {
      const kept = recordsOf(datagram).filter((record) => isHandled(record, isConnected));
      return kept.length > 0 ? Buffer.concat(kept) : undefined;
    },
  };
}

/** The complete records at the start. */
function recordsOf(datagram: Buffer): Buffer[] {
  const records: Buffer[] = [];
  let at = 0;
  while (at + RECORD_HEADER_BYTES <= datagram.length) {
    const end = at + RECORD_HEADER_BYTES + datagram.readUInt16BE(at + 11);
    if (end > datagram.length) break;
    records.push(datagram.subarray(at, end));
    at = end;
  }
  return records;
}

/** Types of handshake messages. None: it is malformed. */
function encryptedMessages(content: Buffer): number[] {
  return content.length <= MAX_FINISHED_BYTES ? [FINISHED] : [];
}

function plainMessages(content: Buffer): number[] {
  const types: number[] = [];
  let at = 0;
  while (at < content.length) {
    if (at + HANDSHAKE_HEADER_BYTES > content.length) return [];
    types.push(content.readUInt8(at));
    const length = content.readUIntBE(at + 1, 3);
    const offset = content.readUIntBE(at + 6, 3);
    const fragment = content.readUIntBE(at + 9, 3);
    at += HANDSHAKE_HEADER_BYTES + fragment;
    if (length > MAX_HANDSHAKE_BYTES || offset + fragment > length || at > content.length) return [];
  }
  return types;
}
