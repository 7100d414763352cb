import { type AudioLine, createPcmLine } from '@parley/media';
import type { WebSocket } from 'ws';
import { mediaClock } from '../../../speech/media-clock.ts';

/** A browser's WebSocket, which may have been opened before its line. */
export type SocketConnection = { socket: WebSocket; send(message: string): void; close(): void };

/** About two seconds of audio that a browser has not read. */
const MAX_UNSENT_BYTES = 96 * 1_024;
/** Twice the bytes of a call's audio, to allow a burst after a stalled connection. */
const BYTES_PER_SECOND = 96 * 1_024;
const MAX_BURST_BYTES = 512 * 1_024;
/** Counted for each message besides its bytes: empty ones cost time as well. */
const MESSAGE_BYTES = 64;
/** RFC 6455, 7.4.1. */
const GOING_AWAY = 1_001;

export function socketConnection(socket: WebSocket): SocketConnection {
  // Also before a line has taken it: without a listener a malformed frame would end the process.
  socket.on('error', () => socket.terminate());
  return {
    socket,
    send: (message) => {
      if (socket.bufferedAmount < MAX_UNSENT_BYTES) socket.send(message);
    },
    close: () => socket.close(GOING_AWAY),
  };
}

type Options = { sampleRate: number; onMessage: (text: string) => void; onClosed: () => void };

/** Audio as binary messages of PCM, everything else as text. The socket must not be closed already. */
export function createSocketLine(
  { socket, close }: SocketConnection,
  { sampleRate, onMessage, onClosed }: Options,
): AudioLine {
  const { nowMs } = mediaClock;
  let allowed = MAX_BURST_BYTES;
  let atMs = nowMs();
  const isAllowed = ({ length }: Buffer): boolean => {
    allowed = Math.min(MAX_BURST_BYTES, allowed + ((nowMs() - atMs) * BYTES_PER_SECOND) / 1_000);
    atMs = nowMs();
    allowed -= length + MESSAGE_BYTES;
    if (allowed >= 0) return true;
    // A close handshake would wait for the client, and read what it sends meanwhile.
    socket.terminate();
    return false;
  };
  const line = createPcmLine({
    sampleRate,
    nowMs,
    send: (bytes) => {
      if (socket.readyState !== socket.OPEN || socket.bufferedAmount > MAX_UNSENT_BYTES) return false;
      socket.send(bytes);
      return true;
    },
    onClose: close,
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isAllowed(data)) return;
    if (isBinary) line.push(data);
    else onMessage(data.toString('utf8'));
  });
  socket.on('ping', isAllowed);
  socket.on('pong', isAllowed);
  socket.on('close', onClosed);
  return line;
}
