import { conflict } from '@parley/kit/errors';
import type { OnWebSocket } from '@parley/kit/http';
import type { WebAudio } from '../carriers/web/audio/web-audio.ts';
import type { WebCarrier } from '../carriers/web/web-carrier.ts';
import type { AccessTokens } from './access-token.ts';
import { refused } from './admit.ts';
import { readHandshake } from './audio-handshake.ts';
import type { WebLines } from './ports.ts';

export type TakeAudioDeps = {
  accessTokens: Pick<AccessTokens, 'read'>;
  lines: Pick<WebLines, 'find'>;
  web: Pick<WebCarrier, 'connectSocket'>;
  loadAudio: () => Promise<WebAudio>;
};

/** Accepts WebSockets of this worker's calls, which the API forwards. The visitor's credentials are checked again. */
export function createTakeAudio({ accessTokens, lines, web, loadAudio }: TakeAudioDeps): OnWebSocket {
  return async (request) => {
    const handshake = readHandshake(request.req);
    const access = handshake && accessTokens.read(handshake.token);
    if (!access) throw refused();
    const line = await lines.find(access.callId);
    if (!line || line.endedAt || line.participant !== handshake.participant)
      throw conflict('The call is not joined by audio by this participant, or it is over');
    const audio = await loadAudio();
    const connection = await audio.upgrade(request);
    // It may have gone to another worker meanwhile: the browser tries again.
    if (!web.connectSocket(access.callId, connection)) connection.close();
  };
}
