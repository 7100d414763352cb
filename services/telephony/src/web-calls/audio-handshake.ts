import type { IncomingMessage } from 'node:http';
import { webSocketProtocols } from '@parley/kit/http';
import { AUDIO_PROTOCOL } from '../carriers/web/audio-protocol.ts';

/**
 * The credentials of a visitor's WebSocket. Browsers can't set headers of one, and a URL is logged: they follow the name of the
 * protocol in the list of protocols.
 */
export function readHandshake(
  req: Pick<IncomingMessage, 'headers'>,
): { token: string; participant: string } | undefined {
  const [protocol, token, participant, more] = webSocketProtocols(req);
  if (protocol !== AUDIO_PROTOCOL || !token || !participant || more !== undefined) return undefined;
  return { token, participant };
}
