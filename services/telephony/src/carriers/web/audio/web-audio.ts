import type { OnWebSocket } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createTicker, createUdpTransport, withErrorHandler } from '@parley/media';
import { createIceServer, prepareWebRtc } from '@parley/media/webrtc';
import { WebSocketServer } from 'ws';
import { mediaClock } from '../../../speech/media-clock.ts';
import { AUDIO_PROTOCOL } from '../audio-protocol.ts';
import { createWebAudioLine, type WebAudioLine, type WebAudioLineEvents } from './audio-line.ts';
import { type SocketConnection, socketConnection } from './socket-line.ts';

/** Audio of web calls in this process. */
export type WebAudio = {
  openLine(events: WebAudioLineEvents, callId: string): WebAudioLine;
  /** Completes the handshake of a visitor's WebSocket. */
  upgrade(request: Parameters<OnWebSocket>[0]): Promise<SocketConnection>;
};

export type WebAudioOptions = {
  /** The address to listen at; `addresses`: at which browsers reach it. */
  host: string;
  addresses: readonly string[];
  ports: { min: number; max: number };
  log: Log;
  lifecycle: Lifecycle;
};

/** A browser sends 20 ms at a time; twenty of them after a pause. */
const MAX_MESSAGE_BYTES = 20 * 960;
/** Browsers send such messages whole. */
const MAX_FRAGMENTS = 4;

/** Loaded with the first spoken web call of a worker, in production with the worker. Listens on one UDP port, which all of its calls share. */
export async function createWebAudio({
  host,
  addresses,
  ports,
  log,
  lifecycle,
}: WebAudioOptions): Promise<WebAudio> {
  await prepareWebRtc();
  const transport = await createUdpTransport({ address: host, ports, random: Math.random, rtcpMux: true });
  const server = createIceServer(transport, (err) => log.debug({ err }, 'a packet of a browser was dropped'));
  lifecycle.onStop('UDP port of web calls', () => server.close());
  const onErrorOf =
    (callId?: string) =>
    (err: unknown): void =>
      log.error({ err, callId }, 'audio of a web call failed');
  const ticker = createTicker(mediaClock, onErrorOf());
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    perMessageDeflate: false,
    handleProtocols: () => AUDIO_PROTOCOL,
  });
  log.info({ port: server.port, addresses }, 'web calls are spoken');
  return {
    openLine: (events, callId) => {
      const onError = onErrorOf(callId);
      return createWebAudioLine(
        { server, addresses, ticker: withErrorHandler(ticker, onError), onError },
        events,
      );
    },
    upgrade: ({ req, socket, head }) =>
      new Promise((resolve) => {
        sockets.handleUpgrade(req, socket, head, (opened) => resolve(socketConnection(opened)));
      }),
  };
}
