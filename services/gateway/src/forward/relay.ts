import type { ServerResponse } from 'node:http';
import { disconnect } from '@parley/kit/http';
import { monotonicMs, realTimer } from '@parley/kit/time';
import type { Dispatcher } from 'undici';
import { answerHeaders } from './headers.ts';

/**
 * A client occupies a connection to the service until it has read its response. While the response waits for it, it reads at least
 * `minBytes` in `periodMs`, or is disconnected; time in which the service has nothing to send does not count.
 */
type ReadingPace = { periodMs: number; minBytes: number };

const MIN_PACE: ReadingPace = { periodMs: 30_000, minBytes: 240 * 1024 };

/** Real time, or that of a test. */
type Time = { monotonicMs: () => number; realTimer: (ms: number, fn: () => void) => () => void };

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
  { periodMs, minBytes }: ReadingPace = MIN_PACE,
  time: Time = { monotonicMs, realTimer },
): Promise<Relayed> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let finish = (): void => {};
    // Of the current period: what the client has been sent, and how long that waited for it.
    let sentBytes = 0;
    let waitedMs = 0;
    const judge = (): void => {
      if (sentBytes < minBytes) disconnect(to);
      waitedMs = 0;
    };
    const awaitClient = (): void => {
      const beganMs = time.monotonicMs();
      if (waitedMs === 0) sentBytes = 0;
      const cancel = time.realTimer(periodMs - waitedMs, () => {
        to.off('close', cancel).off('drain', onDrain);
        judge();
        if (!to.destroyed) awaitClient();
      });
      const onDrain = (): void => {
        // Node emits `drain` also when a response behind this one is written, though the client has read nothing. Writing shows it, and asks for the next event.
        if (!to.write('')) return;
        to.off('close', cancel).off('drain', onDrain);
        cancel();
        waitedMs += time.monotonicMs() - beganMs;
        // Such a response may be written from undici's parser, which can't run twice at a time.
        queueMicrotask(() => controller?.resume());
      };
      to.once('close', cancel).on('drain', onDrain);
    };
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
        sentBytes += chunk.length;
        if (to.write(chunk)) return;
        flow.pause();
        awaitClient();
      },
      onResponseEnd: () => {
        to.end();
        leave();
      },
      onResponseError: (_controller, err) => {
        reject(err);
        if (to.headersSent) disconnect(to);
        leave();
      },
    });
  });
}

function clientGone(): Error {
  // Not a DOMException, which in jest is not an instance of Error, so that the breaker would count it.
  return Object.assign(new Error('The client disconnected'), { name: 'AbortError' });
}
