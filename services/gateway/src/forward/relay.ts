import type { ServerResponse } from 'node:http';
import { realTimer } from '@parley/kit/time';
import type { Dispatcher } from 'undici';
import { answerHeaders } from './headers.ts';

/** A client that takes nothing of its answer for so long has gone, or holds a connection to the owner that others wait for. */
const STALL_MS = 30_000;

/** An answer that has begun, and is being written to the client. */
export type Relayed = { statusCode: number; finished: Promise<void> };

/**
 * Sends a request and writes its answer to `to` as it comes, by undici's own events: a stream between the two cost as much
 * as all the rest of forwarding. Resolves when the answer begins; rejects when there is none, with an AbortError where the
 * client went away first. An answer that breaks off breaks the client's connection: a part must not pass for the whole.
 */
export function relay(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  to: ServerResponse,
  stallMs = STALL_MS,
): Promise<Relayed> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let finish = (): void => {};
    const onClose = (): void => {
      if (to.writableFinished) return;
      const err = clientGone();
      reject(err);
      controller?.abort(err);
      finish();
    };
    const leave = (): void => {
      to.off('close', onClose);
      finish();
    };
    to.once('close', onClose);
    dispatcher.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        if (to.destroyed) started.abort(clientGone());
      },
      onResponseStart: (_controller, statusCode, headers) => {
        // 1xx tell of the connection to the owner alone.
        if (statusCode < 200) return;
        to.writeHead(statusCode, answerHeaders(headers));
        const finished = new Promise<void>((done) => {
          finish = done;
        });
        resolve({ statusCode, finished });
      },
      onResponseData: (flow, chunk) => {
        if (to.write(chunk)) return;
        flow.pause();
        const cancel = realTimer(stallMs, () => to.destroy());
        to.once('close', cancel).once('drain', () => {
          to.off('close', cancel);
          cancel();
          flow.resume();
        });
      },
      onResponseEnd: () => {
        to.end();
        leave();
      },
      onResponseError: (_controller, err) => {
        reject(err);
        if (to.headersSent) to.destroy();
        leave();
      },
    });
  });
}

function clientGone(): Error {
  // No DOMException: where tests run, that is no Error of theirs, and the breaker would count it.
  return Object.assign(new Error('The client went away'), { name: 'AbortError' });
}
