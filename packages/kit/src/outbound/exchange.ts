import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';

export type Head = { status: number; headers: Record<string, string> };

export type ExchangeRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  maxResponseBytes: number;
  deadline: Deadline;
  /** Decides by status and headers whether the body is read. */
  wantsBody: (head: Head) => boolean;
};

/** The progress of a request and its response on one connection. */
export type Exchange = {
  /** Bytes of the request may have been sent. */
  sent: boolean;
  head?: Head;
  body: Buffer;
  /** The body is longer than `maxResponseBytes`. */
  truncated: boolean;
  /** The whole response arrived. */
  complete: boolean;
  /** The error that ended it early; absent if we stopped reading. */
  error?: Error;
};

const MAX_INFORMATIONAL = 8;
/** Bytes of a response besides its body: headers, informational responses and trailers. */
const OVERHEAD_BYTES = 256 * 1024;
/** A body in chunks of one byte takes six bytes for each; extensions of chunks have no limit of their own. */
const BYTES_PER_BODY_BYTE = 8;

// undici decodes headers as Latin-1; non-ASCII is nearly always UTF-8, above all in `Location`.
const asText = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

const failure = (code: string): Error => Object.assign(new Error(code), { code });

const joinHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> => {
  const joined: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined.push([name.toLowerCase(), asText([value].flat().join(', '))]);
  }
  return Object.fromEntries(joined);
};

/**
 * Sends one request and reads its response up to `maxResponseBytes`. If it is not read to its end the connection is closed. A
 * receiver that sends endless bytes which are not of the body costs only a bounded number of them. Never rejects.
 */
export function exchange(connection: Connection, request: ExchangeRequest): Promise<Exchange> {
  const { client } = connection;
  const { method, path, headers, body, maxResponseBytes, deadline, wantsBody } = request;
  return new Promise((resolve) => {
    const result: Exchange = { sent: false, body: Buffer.alloc(0), truncated: false, complete: false };
    const chunks: Buffer[] = [];
    let kept = 0;
    let informational = 0;
    const maxBytes = connection.bytesRead() + OVERHEAD_BYTES + BYTES_PER_BODY_BYTE * maxResponseBytes;
    let ignoreBytes = (): void => {};
    let controller: Dispatcher.DispatchController | undefined;

    const finish = (error?: Error): void => {
      forget();
      ignoreBytes();
      resolve({ ...result, body: Buffer.concat(chunks), ...(error ? { error } : {}) });
    };
    const stopReading = (): void => {
      finish();
      controller?.abort(new Error('stopped reading'));
    };
    const fail = (error: Error): void => {
      finish(error);
      if (controller) controller.abort(error);
      else void client.destroy(error);
    };
    const onAbort = (): void => fail(new Error('aborted'));
    const onBytes = (): void => {
      if (connection.bytesRead() > maxBytes) fail(failure('ERR_RESPONSE_OVERHEAD'));
    };
    const keep = (chunk: Buffer): void => {
      const remaining = maxResponseBytes - kept;
      result.truncated = chunk.length > remaining;
      // A copy, so that a few bytes don't retain the socket's whole buffer.
      if (remaining > 0) chunks.push(Buffer.from(chunk.subarray(0, remaining)));
      kept += Math.min(remaining, chunk.length);
    };

    const forget = deadline.onOver(onAbort);
    if (deadline.cause() !== undefined) return finish(new Error('aborted'));
    client.dispatch(
      { method, path, headers, body: body ?? null },
      {
        onRequestStart: (started) => {
          controller = started;
          result.sent = true;
          // Not earlier: the client must be the first to listen.
          ignoreBytes = connection.onBytes(onBytes);
        },
        onResponseStart: (_controller, status, responseHeaders) => {
          if (status < 200) {
            informational += 1; // such as 103
            if (informational > MAX_INFORMATIONAL) fail(failure('ERR_INFORMATIONAL_RESPONSES'));
            return;
          }
          result.head = { status, headers: joinHeaders(responseHeaders) };
          if (!wantsBody(result.head)) stopReading();
        },
        onResponseData: (_controller, chunk) => {
          keep(chunk);
          if (result.truncated) stopReading();
        },
        onResponseEnd: () => {
          result.complete = true;
          finish();
        },
        onResponseError: (_controller, error) => finish(error),
      },
    );
  });
}
