import type { ServerResponse } from 'node:http';
import { realTimer } from '@parley/kit/time';
import type { Dispatcher } from 'undici';
import { answerHeaders } from './headers.ts';

/** A client that reads nothing for this long is disconnected: it occupies a connection to the service. */
const STALL_MS = 30_000;

/** A response that has begun and is being written to the client. */
export type Relayed = { statusCode: number; finished: Promise<void> };

/**
 * Sends a request and writes the response to `to` as it arrives, with undici's own events: an intermediate stream would double
 * the cost of forwarding. Resolves when the response begins. Rejects without a response, with an AbortError if the client
 * disconnected first. A truncated response breaks the client's connection, so that it doesn't pass for a whole one.
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
        // 1xx concern only the connection to the service.
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
  // Not a DOMException, which in jest is not an instance of Error, so that the breaker would count it.
  return Object.assign(new Error('The client disconnected'), { name: 'AbortError' });
}
