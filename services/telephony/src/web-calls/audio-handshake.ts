import type { IncomingMessage } from 'node:http';
import { AUDIO_PROTOCOL } from '../carriers/web/audio-protocol.ts';

/**
 * The credentials of a visitor's WebSocket. Browsers can't set headers of one, and a URL is logged: they follow the name of the
 * protocol in the list of protocols.
 */
export function readHandshake({
  headers,
}: IncomingMessage): { token: string; participant: string } | undefined {
  const [protocol, token, participant, more] = (headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
  if (protocol !== AUDIO_PROTOCOL || !token || !participant || more !== undefined) return undefined;
  return { token, participant };
}
