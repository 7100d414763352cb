import { realTimer } from '@parley/kit/time';
import {
  type AudioLine,
  createMediaSession,
  createMuLawCodec,
  createOpusCodec,
  createRtpLine,
  createSwitchLine,
  type MediaSession,
  type Ticker,
} from '@parley/media';
import { createWebRtcPeer, type IceServer, PEER_ADDRESS, type WebRtcPeer } from '@parley/media/webrtc';
import type { WebRtcOffer } from '@parley/media/webrtc-offer';
import { mediaClock } from '../../../speech/media-clock.ts';
import { createMessageReader } from './messages.ts';
import { createSocketLine, type SocketConnection } from './socket-line.ts';

/** The visitor's end of a spoken web call. Browsers connect to it by WebRTC or a WebSocket, one at a time. */
export type WebAudioLine = {
  /** Undefined before the first connection. */
  session(): MediaSession | undefined;
  /** Answers an offer. Once established, the connection replaces the previous one. */
  accept(offer: WebRtcOffer): string;
  /** Unless it is closing, the connection immediately replaces the previous one. */
  acceptSocket(socket: SocketConnection): void;
  /** Sends an update to the browser, if one is connected. */
  show(update: object): void;
  /** Tells the browser that the call is over, so that it does not reconnect. */
  end(): void;
  /** Closes the connections; unless the call is over, the browser reconnects, to another worker. */
  close(): void;
};

export type WebAudioLineDeps = {
  server: IceServer;
  addresses: readonly string[];
  ticker: Ticker;
  /** A connection could not carry audio; it is closed. */
  onError: (err: unknown) => void;
};

export type WebAudioLineEvents = {
  /** A browser is connected, for the first time or again. */
  onConnected: () => void;
  onKeys: (digits: string) => void;
  /** No audio has arrived for 20 seconds. `wasConnected`: some had arrived before. */
  onLost: (wasConnected: boolean) => void;
};

/** Sample rate of the session, whatever the browser sends: enough for speech. */
const SAMPLE_RATE = 24_000;
/** For reconnecting [web-calls.5]. Real time. */
const LOST_AFTER_MS = 20_000;
const CHECK_EVERY_MS = 500;
/** Delay before closing, so that the last message arrives. */
const CLOSE_AFTER_MS = 300;
const ENDED = { type: 'ended' };

type Connection = { send(message: string): void; close(): void };

export function createWebAudioLine(deps: WebAudioLineDeps, events: WebAudioLineEvents): WebAudioLine {
  const { server, addresses, ticker, onError } = deps;
  const line = createSwitchLine(SAMPLE_RATE);
  const read = createMessageReader(events.onKeys);
  let session: MediaSession | undefined;
  let current: Connection | undefined;
  /** Answered, but not connected yet: a browser may give up an offer for another one. */
  let pending: WebRtcPeer | undefined;
  let isOver = false;
  let isEnded = false;
  let sinceMs = mediaClock.nowMs();
  let cancelCheck = (): void => {};

  const check = (): void => {
    const lastMs = Math.max(sinceMs, line.stats().lastReceivedAtMs ?? 0);
    if (mediaClock.nowMs() - lastMs > LOST_AFTER_MS) events.onLost(session !== undefined);
    else cancelCheck = realTimer(CHECK_EVERY_MS, check);
  };
  check();

  /** The line now owns `audio`; the previous connection is closed. */
  const connect = (connection: Connection, audio: AudioLine): void => {
    const before = current;
    current = connection;
    sinceMs = mediaClock.nowMs();
    line.connect(audio);
    before?.close();
    session ??= createMediaSession(line, ticker);
    session.pause('disconnected', false);
    events.onConnected();
  };
  const disconnect = (connection: Connection): void => {
    if (current !== connection) return;
    current = undefined;
    line.connect(undefined);
    // What is not heard is not said.
    session?.pause('disconnected', true);
  };

  return {
    session: () => session,
    accept: (offer) => {
      pending?.close();
      const peer = createWebRtcPeer({
        server,
        addresses,
        offer,
        onMessage: read,
        onConnected: () => {
          openRtp(peer, offer)
            .then((audio) => {
              if (isOver || pending !== peer) audio.close();
              else {
                pending = undefined;
                connect(peer, audio);
              }
            })
            .catch((err: unknown) => {
              onError(err);
              // The browser then tries a WebSocket.
              peer.close();
            });
        },
      });
      pending = peer;
      void peer.closed.then(() => {
        if (pending === peer) pending = undefined;
        disconnect(peer);
      });
      return peer.answer;
    },
    acceptSocket: (socket) => {
      // It may have closed while it was on its way to its line: it must not replace a live one.
      if (isOver || socket.socket.readyState >= socket.socket.CLOSING) {
        socket.close();
        return;
      }
      // The browser has given up its offer.
      pending?.close();
      pending = undefined;
      const audio = createSocketLine(socket, {
        sampleRate: SAMPLE_RATE,
        onMessage: read,
        onClosed: () => disconnect(socket),
      });
      connect(socket, audio);
    },
    show: (update) => current?.send(JSON.stringify(update)),
    end: () => {
      if (!isEnded) current?.send(JSON.stringify(ENDED));
      isEnded = true;
    },
    close: () => {
      if (isOver) return;
      isOver = true;
      cancelCheck();
      pending?.close();
      const close = (): void => {
        if (session) session.close();
        else line.close();
        current?.close();
      };
      if (isEnded) realTimer(CLOSE_AFTER_MS, close);
      else close();
    },
  };
}

async function openRtp(
  { transport, ssrc }: WebRtcPeer,
  { audio: { codec, payloadType, dtmfPayloadType } }: WebRtcOffer,
): Promise<AudioLine> {
  return createRtpLine({
    transport,
    codec: codec === 'opus' ? await createOpusCodec({ sampleRate: SAMPLE_RATE }) : createMuLawCodec(),
    payloadType,
    ...(dtmfPayloadType === null ? {} : { dtmfPayloadType }),
    remote: PEER_ADDRESS,
    rtcpMux: true,
    ssrc,
    cname: 'parley',
    nowMs: mediaClock.nowMs,
    random: Math.random,
  });
}
