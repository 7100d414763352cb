import { SpeechError } from '../ports.ts';
import { malformed, timedOut } from '../providers/failures.ts';
import { connect, type Socket } from '../providers/socket.ts';
import { after } from '../providers/waiting.ts';

/** Above this the provider is minutes behind the audio, because it reads too slowly. */
const MAX_WAITING_BYTES = 4 * 1024 ** 2;
/** Some 10 minutes of audio of 24 kHz as text: models send answers faster than they speak them. */
const MAX_BURST_BYTES = 40 * 1024 ** 2;
/** A connection that breaks silently is noticed within twice this time, also while the human speaks. */
const PING_MS = 5_000;

export type LiveSocketOptions = {
  provider: string;
  url: URL;
  headers: Record<string, string>;
  key: string | undefined;
  /** Timeout until the model is ready. */
  connectMs: number;
  /** For tests. */
  pingMs?: number;
  signal: AbortSignal;
  /** The first message, once the socket is open. */
  greet: (send: (message: unknown) => void) => void;
  /** Reads a message of the provider; a thrown error is a protocol failure. Returns true when the model is ready. */
  read: (message: unknown) => boolean;
  onFailure: (failure: SpeechError) => void;
};

export type LiveSocket = { send(message: unknown): void; fail(failure: SpeechError): void; close(): void };

/** A socket with JSON messages. Resolves when `read` says that the model is ready. */
export function openLiveSocket(options: LiveSocketOptions): Promise<LiveSocket> {
  const { provider, connectMs, pingMs = PING_MS, signal, greet, read, onFailure, ...target } = options;
  return new Promise((resolve, reject) => {
    let isReady = false;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      cancel();
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (failure: SpeechError): void => {
      if (isOver) return;
      end();
      socket.destroy();
      if (isReady) onFailure(failure);
      else reject(failure);
    };
    const onAbort = (): void => {
      if (isOver || isReady) return;
      end();
      socket.destroy();
      reject(signal.reason);
    };
    const cancel = after(connectMs, () => fail(timedOut(provider, 'the model was not ready in time')));
    const send = (message: unknown): void => {
      if (isOver) return;
      if (socket.waitingBytes > MAX_WAITING_BYTES) fail(timedOut(provider, 'the provider does not read'));
      else socket.send(JSON.stringify(message));
    };
    const live: LiveSocket = {
      send,
      fail,
      close: () => {
        if (isOver) return;
        end();
        socket.close();
      },
    };
    const socket: Socket = connect({
      provider,
      ...target,
      connectMs,
      pingMs,
      maxBurstBytes: MAX_BURST_BYTES,
      takesBinary: true,
      onOpen: () => greet(send),
      onText: (text) => {
        if (isOver) return;
        try {
          if (!read(JSON.parse(text)) || isReady || isOver) return;
          isReady = true;
          cancel();
          resolve(live);
        } catch (err) {
          fail(
            err instanceof SpeechError ? err : malformed(provider, 'a message that is not of the protocol'),
          );
        }
      },
      onFailure: fail,
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
