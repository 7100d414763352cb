import { createTokenBucket } from '@parley/media';
import { type RawData, WebSocket } from 'ws';
import { SpeechError } from '../ports.ts';
import { failureOf, failureOfStatus, malformed, malformedRequest, timedOut, withoutKey } from './failures.ts';
import { REFUSAL_TEXT_MS } from './limits.ts';
import { after } from './waiting.ts';

const MAX_MESSAGE_BYTES = 4 * 1024 ** 2;
/** What a provider may send; it costs time that other calls need. Audio of 24 kHz as text has 64 KiB a second. */
const MAX_BURST_BYTES = 8 * 1024 ** 2;
const BYTES_PER_SECOND = 1024 ** 2;
/** The least that a message counts: handling small ones costs as much. */
const MIN_COUNTED_BYTES = 1024;
const DETAIL_BYTES = 4_096;
const CLOSE_MS = 1_000;

export type SocketOptions = {
  provider: string;
  url: URL;
  /** Includes the key. */
  headers: Record<string, string>;
  key: string | undefined;
  /** Until the handshake is complete. */
  connectMs: number;
  /** Pings the provider this often; the connection has failed if nothing arrives between two pings. Undefined: never. */
  pingMs?: number;
  /** What the provider may send at once; by default 8 MiB. */
  maxBurstBytes?: number;
  /** Binary messages are text as well. */
  takesBinary?: boolean;
  onOpen: () => void;
  onText: (text: string) => void;
  /** Called at most once, and never after `close`: the connection was refused, broken, or closed by the provider. */
  onFailure: (failure: SpeechError) => void;
};

export type Socket = {
  readonly isOpen: boolean;
  /** Bytes that were sent but are still in the local buffer. */
  readonly waitingBytes: number;
  send(data: string | Uint8Array): void;
  /** Stops reading: the provider's messages stay in the network. */
  pause(): void;
  resume(): void;
  /** Sends the protocol's closing message, if any, and closes within a second. */
  close(goodbye?: string): void;
  /** Closes at once. */
  destroy(): void;
};

/** Never throws. */
export function connect(options: SocketOptions): Socket {
  const { url, headers } = options;
  let socket: WebSocket;
  try {
    socket = new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
    });
  } catch {
    return unopened(options);
  }
  return over(socket, options);
}

/** Fails like a connection that is refused. */
function unopened({ provider, onFailure }: SocketOptions): Socket {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  queueMicrotask(() => {
    if (!isOver) onFailure(malformedRequest(provider));
  });
  const socket = { isOpen: false, waitingBytes: 0, send: ignore, pause: ignore, resume: ignore };
  return { ...socket, close: end, destroy: end };
}

function over(socket: WebSocket, options: SocketOptions): Socket {
  const { provider, key, connectMs } = options;
  let isOver = false;
  let cancelPing = (): void => {};
  // The library's own timeout begins again with each byte.
  const cancelOpening = after(connectMs, () => fail(timedOut(provider, 'no connection in time')));
  const end = (): void => {
    isOver = true;
    cancelOpening();
    cancelPing();
  };
  const fail = (failure: SpeechError): void => {
    if (isOver) return;
    end();
    socket.terminate();
    options.onFailure(failure);
  };

  const budget = createTokenBucket(options.maxBurstBytes ?? MAX_BURST_BYTES, BYTES_PER_SECOND);
  /** Fails the connection if the provider has sent too much. */
  const count = (bytes: number): void => {
    if (!budget.take(Math.max(bytes, MIN_COUNTED_BYTES)))
      fail(malformed(provider, 'it sends more than a conversation needs'));
  };

  let isAlive = true;
  const ping = (pingMs: number): void => {
    if (isOver) return;
    if (!isAlive) {
      fail(timedOut(provider, 'the connection is dead'));
      return;
    }
    isAlive = false;
    socket.ping(undefined, undefined, ignore);
    cancelPing = after(pingMs, () => ping(pingMs));
  };

  socket.on('open', () => {
    if (isOver) return;
    cancelOpening();
    if (options.pingMs !== undefined) ping(options.pingMs);
    options.onOpen();
  });
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('ping', (data) => count(data.length));
  socket.on('message', (data: RawData, isBinary) => {
    isAlive = true;
    count(lengthOf(data));
    // Elsewhere binary messages are treated as malformed text.
    if (!isOver) options.onText(isBinary && !options.takesBinary ? '' : data.toString());
  });
  socket.on('unexpected-response', (request, response) => {
    let detail = '';
    const answer = (): void => {
      cancel();
      request.destroy();
      fail(failureOfStatus(provider, response.statusCode ?? 500, withoutKey(detail, key)));
    };
    const cancel = after(REFUSAL_TEXT_MS, answer);
    response.on('data', (chunk: Buffer) => {
      detail = (detail + chunk.toString('utf8')).slice(0, DETAIL_BYTES);
    });
    response.on('end', answer);
    response.on('error', answer);
  });
  socket.on('error', (err) => fail(failureOf(provider, err)));
  socket.on('close', (code, reason) => {
    const words = withoutKey(reason.toString(), key);
    fail(failureOfClose(provider, code, words));
  });

  return {
    get isOpen() {
      return !isOver && socket.readyState === WebSocket.OPEN;
    },
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    send: (data) => {
      if (!isOver && socket.readyState === WebSocket.OPEN) socket.send(data, ignore);
    },
    pause: () => {
      if (socket.readyState === WebSocket.OPEN) socket.pause();
    },
    resume: () => {
      if (socket.readyState === WebSocket.OPEN) socket.resume();
    },
    close: (goodbye) => {
      if (!isOver && goodbye !== undefined && socket.readyState === WebSocket.OPEN) {
        socket.send(goodbye, ignore);
      }
      end();
      socket.close(1000);
      socket.once(
        'close',
        after(CLOSE_MS, () => socket.terminate()),
      );
    },
    destroy: () => {
      end();
      socket.terminate();
    },
  };
}

function lengthOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength;
}

/** A failed send is followed by `close`. */
function ignore(): void {}

/** Only two close codes have an equivalent in HTTP: 1008 is a refusal, 1013 an overload. */
function failureOfClose(provider: string, code: number, reason: string): SpeechError {
  const words = reason === '' ? `closed with ${code}` : `closed with ${code}: ${reason}`;
  const status = { 1008: 400, 1013: 429, 4001: 401, 4003: 403, 4029: 429 }[code] ?? 503;
  const isCredentials = code === 1008 && /auth|api.?key|token|credential|permission/i.test(reason);
  const { kind } = failureOfStatus(provider, isCredentials ? 401 : status);
  return new SpeechError(provider, kind, words);
}
