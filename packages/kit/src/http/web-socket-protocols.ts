import type { IncomingMessage } from 'node:http';

/** More than a protocol, a token and a participant have. */
const MAX_LENGTH = 1_024;

/** The list of protocols of a WebSocket; empty if it is too long, since it is read before any limit. */
export function webSocketProtocols({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const list = headers['sec-websocket-protocol'] ?? '';
  return list.length > MAX_LENGTH ? [] : list.split(',').map((protocol) => protocol.trim());
}
