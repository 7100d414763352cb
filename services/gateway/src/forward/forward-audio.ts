import { notFound } from '@parley/kit/errors';
import { forwardWebSocket, type OnWebSocket, webSocketProtocols } from '@parley/kit/http';
import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import { addressOf, type Trust } from '../access/client-address.ts';
import type { Limiter } from '../limits/bucket.ts';
import { limitOpen, type OpenLimits } from '../limits/limit-anonymous.ts';
import { delaying } from '../limits/slow-refusals.ts';

type Deps = {
  limiter: Limiter;
  openLimits: OpenLimits;
  trust: Trust;
  telephonyUrl: string;
  log: Log;
};

/** The only WebSocket for clients: the audio of a web call if UDP is blocked [web-calls.8]. */
const AUDIO_PATH = '/widget/session/audio';

/**
 * Forwards WebSockets to telephony, which checks their token, within the limits of routes without a key: the token follows the
 * protocol's name in the list of protocols, since browsers can set no other header.
 */
export function createForwardAudio({ limiter, openLimits, trust, telephonyUrl, log }: Deps): OnWebSocket {
  return async (request) => {
    const { req } = request;
    const [path] = (req.url ?? '').split('?', 1);
    if (path !== AUDIO_PATH) throw notFound('WebSocket');
    const [, token] = webSocketProtocols(req);
    // WebSockets are not counted as requests under way.
    const delayed = delaying(limiter, () => {});
    await limitOpen(delayed, { address: addressOf(req, trust), link: token }, openLimits);
    const requestId = newId();
    await forwardWebSocket(new URL(AUDIO_PATH, telephonyUrl), { 'x-request-id': requestId }, request);
    log.info({ requestId, path }, 'WebSocket forwarded');
  };
}
