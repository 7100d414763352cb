import type { KeyedLimiter } from '@parley/kit/concurrency';
import { AppError, conflict } from '@parley/kit/errors';
import { forwardWebSocket, type OnWebSocket, type WebSocketRequest } from '@parley/kit/http';
import { realSleep } from '@parley/kit/time';
import { type AdmitDeps, admit, refused } from './admit.ts';
import { readHandshake } from './audio-handshake.ts';
import type { WebLines, WorkerPlace } from './ports.ts';

export type ForwardAudioDeps = AdmitDeps & {
  webLines: Pick<WebLines, 'findWorker'>;
  /** Visitors of each workspace who wait for a worker at the same time. */
  visitorWaits: KeyedLimiter;
  /** Those of each call, so that one token leaves room for other visitors. */
  visitorWaitsOfCall: KeyedLimiter;
};

/** The path at the worker. */
export const WORKER_AUDIO_PATH = '/internal/web-calls/audio';
/** Less than the timeout of the gateway, which would otherwise refuse the visitor first, without the reason. */
const WORKER_TIMEOUT_MS = 2_000;
const POLL_MS = 100;

/** Forwards the WebSocket of a spoken call to the worker that carries it [web-calls.8]. */
export function createForwardAudio(deps: ForwardAudioDeps): OnWebSocket {
  return async (request) => {
    const handshake = readHandshake(request.req);
    if (!handshake) throw refused();
    const { access, call } = await admit(deps, handshake.token);
    if (call.status === 'completed') throw conflict('The call is over');
    const { url } = await deps.visitorWaitsOfCall.run(access.callId, () =>
      deps.visitorWaits.run(access.workspaceId, () =>
        findWorker(deps, access.callId, handshake.participant, request),
      ),
    );
    if (url === null) throw new AppError('SERVICE_UNAVAILABLE', 'The worker of the call cannot be reached');
    await forwardWebSocket(new URL(WORKER_AUDIO_PATH, url), {}, request);
  };
}

async function findWorker(
  { webLines }: ForwardAudioDeps,
  callId: string,
  participant: string,
  { socket }: Pick<WebSocketRequest, 'socket'>,
): Promise<WorkerPlace> {
  for (let waitedMs = 0; waitedMs < WORKER_TIMEOUT_MS && !socket.destroyed; waitedMs += POLL_MS) {
    const worker = await webLines.findWorker(callId, participant);
    if (worker) return worker;
    await realSleep(POLL_MS);
  }
  throw conflict('The call is not joined by audio by this participant, or no worker has taken it');
}
