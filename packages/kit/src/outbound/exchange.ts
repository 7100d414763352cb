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
  /** Decides by the head whether the body is read at all. */
  wantsBody: (head: Head) => boolean;
};

/** How far a request and its answer came on one connection. */
export type Exchange = {
  /** Bytes of the request may have left. */
  sent: boolean;
  head?: Head;
  body: Buffer;
  /** There was more than `maxResponseBytes`. */
  truncated: boolean;
  /** The whole answer came. */
  complete: boolean;
  /** What ended it before its time; absent when we left off on purpose. */
  error?: Error;
};

// undici reads bytes as Latin-1; what is not ASCII was UTF-8 nearly always, in `Location` above all.
const asText = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

const joinHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> => {
  const joined: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined.push([name.toLowerCase(), asText([value].flat().join(', '))]);
  }
  return Object.fromEntries(joined);
};

/**
 * Sends one request and reads its answer, up to `maxResponseBytes` of it; whatever isn't read costs the connection.
 * Never rejects.
 */
export function exchange({ client }: Connection, request: ExchangeRequest): Promise<Exchange> {
  const { method, path, headers, body, maxResponseBytes, deadline, wantsBody } = request;
  return new Promise((resolve) => {
    const result: Exchange = { sent: false, body: Buffer.alloc(0), truncated: false, complete: false };
    const chunks: Buffer[] = [];
    let kept = 0;
    let controller: Dispatcher.DispatchController | undefined;

    const finish = (error?: Error): void => {
      forget();
      resolve({ ...result, body: Buffer.concat(chunks), ...(error ? { error } : {}) });
    };
    const leaveOff = (): void => {
      finish();
      controller?.abort(new Error('left off'));
    };
    const onAbort = (): void => {
      const error = new Error('aborted');
      finish(error);
      if (controller) controller.abort(error);
      else void client.destroy(error);
    };
    const keep = (chunk: Buffer): void => {
      const room = maxResponseBytes - kept;
      result.truncated = chunk.length > room;
      // A copy, so that a few bytes don't hold on to the socket's whole buffer.
      if (room > 0) chunks.push(Buffer.from(chunk.subarray(0, room)));
      kept += Math.min(room, chunk.length);
    };

    const forget = deadline.onOver(onAbort);
    if (deadline.cause() !== undefined) return finish(new Error('aborted'));
    client.dispatch(
      { method, path, headers, body: body ?? null },
      {
        onRequestStart: (started) => {
          controller = started;
          result.sent = true;
        },
        onResponseStart: (_controller, status, responseHeaders) => {
          if (status < 200) return; // 103 and its like announce the answer
          result.head = { status, headers: joinHeaders(responseHeaders) };
          if (!wantsBody(result.head)) leaveOff();
        },
        onResponseData: (_controller, chunk) => {
          keep(chunk);
          if (result.truncated) leaveOff();
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
