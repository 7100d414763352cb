import type { Recognition, SpeechError, SpeechStream, SpeechToText } from '../ports.ts';
import { isTemporary, malformed, timedOut } from './failures.ts';
import { DEFAULT_LIMITS, type ProviderAccount, retryDelayMs } from './limits.ts';
import { bytesOf } from './pcm.ts';
import { connect, type Socket } from './socket.ts';
import { createUnconfirmedAudio } from './unconfirmed-audio.ts';
import { after } from './waiting.ts';

/** Maximum audio in the local send buffer: 16 seconds at 16 kHz. */
const MAX_WAITING_BYTES = 512 * 1024;
/** Sent in one message. Longer ones would delay interim words; one for each frame costs a twentieth of a core for 40 calls. */
const CHUNK_MS = 60;
/** The server may close a connection that is silent, for instance while the call is on hold. */
const KEEP_ALIVE_MS = 4_000;
/** A failure this long after the previous one may be repeated again: a human who only listens has no final words. */
const RECOVERED_AFTER_MS = 60_000;

/** What a message of the provider means. Times are milliseconds since the connection's first sample. */
export type Reading = {
  results?: Recognition[];
  /** All audio before this position has final words. */
  confirmedMs?: number;
  /** All words before the last `finalize` have arrived. */
  isFlushed?: boolean;
  failure?: SpeechError;
};

/** Positions in the audio of a connection, in milliseconds since its first sample. */
export type Position = {
  /** The end of the last final words. */
  finalMs: number;
  /** The end of the audio that the words may be about: up to the oldest pending `finalize`, otherwise everything sent. */
  endMs: number;
};

type RecognitionProtocol = {
  url: URL;
  /** Includes the key. */
  headers: Record<string, string>;
  encode(audio: Uint8Array): string | Uint8Array;
  finalize: string;
  goodbye?: string;
  keepAlive?: string;
  /**
   * After this, `finalize` counts as answered if the connection has been alive and no words are pending: the provider may not answer if
   * there was little audio. Undefined: it always answers.
   */
  finalizeMs?: number;
  /** `message` is parsed JSON. Throws if it isn't a message of the protocol. */
  read(message: unknown, at: Position): Reading;
};

type OpenOptions = Parameters<SpeechToText['open']>[0];

export type RecognitionOptions = {
  name: string;
  sampleRate: number;
  account: ProviderAccount;
  /** For one connection. */
  protocol(options: Pick<OpenOptions, 'language' | 'phrases' | 'model'>): RecognitionProtocol;
};

/**
 * Recognition over a WebSocket. A failed connection is opened once more, unless the provider refuses permanently, and gets the audio
 * without final words again; final words, or a minute, reset the attempts. `flush` also resolves when the stream fails or is closed.
 */
export function createStreamingRecognition(options: RecognitionOptions): SpeechToText {
  const { name, sampleRate } = options;
  return { name, sampleRate, repeats: true, open: (given) => openStream(options, given) };
}

type Flush = { atMs: number; resolve(): void; cancel(): void };

function openStream(
  { name, sampleRate, account, protocol }: RecognitionOptions,
  given: OpenOptions,
): SpeechStream {
  const limits = account.limits ?? DEFAULT_LIMITS;
  const audio = createUnconfirmedAudio(sampleRate);
  const chunk = new Int16Array((sampleRate * CHUNK_MS) / 1_000);
  /** Samples in `chunk`. */
  let filled = 0;
  const flushes: Flush[] = [];
  let mayReconnect = true;
  let lastFailureMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let current:
    | { socket: Socket; protocol: RecognitionProtocol; startMs: number; finalMs: number }
    | undefined;
  let cancelReconnect = (): void => {};
  /** Whether a message has arrived since the last `flush` was answered. */
  let hasResponded = false;
  /** Words that have not become final. */
  let hasInterim = false;
  let isIdle = false;

  const keepAlive = setInterval(() => {
    const message = current?.protocol.keepAlive;
    if (isIdle && message !== undefined) current?.socket.send(message);
    isIdle = true;
  }, KEEP_ALIVE_MS);
  keepAlive.unref();

  function end(): void {
    isClosed = true;
    clearInterval(keepAlive);
    cancelReconnect();
    for (const flush of flushes.splice(0)) release(flush);
  }

  function release({ cancel, resolve }: Flush): void {
    hasResponded = false;
    cancel();
    resolve();
  }

  function fail(failure: SpeechError): void {
    if (isClosed) return;
    current?.socket.destroy();
    current = undefined;
    mayReconnect ||= performance.now() - lastFailureMs > RECOVERED_AFTER_MS;
    lastFailureMs = performance.now();
    // The next connection has its own timeouts.
    for (const flush of flushes) flush.cancel();
    if (mayReconnect && isTemporary(failure)) {
      mayReconnect = false;
      cancelReconnect = after(retryDelayMs(failure), start);
      return;
    }
    end();
    given.onError(failure);
  }

  function start(): void {
    const connection = protocol(given);
    const socket = connect({
      provider: name,
      url: connection.url,
      headers: connection.headers,
      key: account.apiKey,
      connectMs: limits.connectMs,
      onOpen: () => {
        hasResponded = false;
        hasInterim = false;
        const state = { socket, protocol: connection, startMs: audio.startMs, finalMs: 0 };
        current = state;
        for (const chunk of audio.chunks()) socket.send(connection.encode(bytesOf(chunk)));
        if (flushes.length === 0) return;
        // One result resolves all pending flushes.
        for (const flush of flushes.splice(0, flushes.length - 1)) release(flush);
        finalize();
      },
      onText: (text) => {
        hasResponded = true;
        receive(text);
      },
      onFailure: fail,
    });
    // Audio is buffered until the connection is open.
    cancelReconnect = () => socket.destroy();
  }

  function receive(text: string): void {
    if (!current) return;
    const { startMs, finalMs } = current;
    const endMs = (flushes[0]?.atMs ?? audio.endMs) - startMs;
    let reading: Reading;
    try {
      reading = current.protocol.read(JSON.parse(text), { finalMs, endMs });
    } catch {
      fail(malformed(name, 'a message that is not of its protocol'));
      return;
    }
    for (const result of reading.results ?? []) deliver(result);
    if (isClosed || !current) return;
    if (reading.confirmedMs !== undefined) audio.confirm(current.startMs + reading.confirmedMs);
    if (reading.failure) fail(reading.failure);
    else if (reading.isFlushed) {
      const flush = flushes.shift();
      if (!flush) return;
      audio.confirm(flush.atMs);
      release(flush);
    }
  }

  function deliver(result: Recognition): void {
    if (!current || isClosed) return;
    const startMs = Math.round(current.startMs + result.startMs);
    const endMs = Math.round(current.startMs + result.endMs);
    hasInterim = !result.isFinal && (hasInterim || result.text !== '');
    if (result.isFinal) {
      mayReconnect = true;
      current.finalMs = Math.max(current.finalMs, result.endMs);
      audio.confirm(endMs);
    }
    if (result.text !== '') given.onResult({ ...result, startMs, endMs });
  }

  function finalize(): void {
    const flush = flushes.at(-1);
    if (!flush || !current) return;
    const { finalizeMs } = current.protocol;
    const mayBeSilent = finalizeMs !== undefined && hasResponded && !hasInterim;
    flush.cancel();
    flush.cancel = after(mayBeSilent ? finalizeMs : limits.silenceMs, () => {
      if (!mayBeSilent) return fail(timedOut(name, 'no words in time'));
      for (const passed of flushes.splice(0, flushes.indexOf(flush) + 1)) release(passed);
    });
    current.socket.send(current.protocol.finalize);
  }

  function sendChunk(): void {
    if (filled === 0 || isClosed) return;
    const samples = audio.push(chunk.subarray(0, filled));
    filled = 0;
    if (!current) return;
    if (current.socket.waitingBytes > MAX_WAITING_BYTES) fail(timedOut(name, 'it does not take the audio'));
    else current.socket.send(current.protocol.encode(bytesOf(samples)));
  }

  start();
  return {
    push: (samples) => {
      if (isClosed || samples.length === 0) return;
      isIdle = false;
      for (let taken = 0; taken < samples.length && !isClosed; ) {
        const part = samples.subarray(taken, taken + chunk.length - filled);
        chunk.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled === chunk.length) sendChunk();
      }
    },
    flush: () => {
      sendChunk();
      if (isClosed || audio.chunks().length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        flushes.push({ atMs: audio.endMs, resolve, cancel: () => {} });
        finalize();
      });
    },
    close: () => {
      if (isClosed) return;
      const { socket, protocol: connection } = current ?? {};
      current = undefined;
      if (socket) cancelReconnect = () => {};
      end();
      socket?.close(connection?.goodbye);
    },
  };
}
