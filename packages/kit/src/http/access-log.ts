import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { monotonicMs, realTimer } from '../time/index.ts';
import type { RequestContext } from './request-context.ts';

/** A client that goes on sending a body after its answer is cut off then, or after so much: what is thrown away costs memory too. */
const LATE_BODY_MS = 5_000;
const LATE_BODY_BYTES = 8 * 1024 ** 2;

/** Writes the one line of a finished request, and its duration into the metrics. */
export function logOnClose(
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  { log, metrics }: { log: Log; metrics: Metrics },
): void {
  res.once('close', () => {
    const ms = monotonicMs() - context.startedMs;
    const { requestId, route = 'unmatched', auth, errorCode, ids } = context;
    // 499: the client went away before its answer was sent.
    const status = res.writableFinished ? res.statusCode : 499;
    if (!context.quiet) {
      metrics.httpDuration.observe({ method: req.method ?? '', route, status: String(status) }, ms / 1000);
    }
    log[context.quiet ? 'debug' : 'info'](
      {
        method: req.method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        requestId,
        ...ids,
        ...(errorCode ? { code: errorCode } : {}),
        ...(auth
          ? { workspaceId: auth.workspaceId, actorKind: auth.actor.kind, actorId: auth.actor.id }
          : {}),
      },
      'request finished',
    );
    if (!req.complete && !req.destroyed) cutLateBody(req);
  });
}

function cutLateBody(req: IncomingMessage): void {
  const { socket } = req;
  const cancel = realTimer(LATE_BODY_MS, () => !req.complete && socket.destroy());
  // An answered request tells its own end no more in every case, its socket does.
  socket.once('close', cancel);
  req.once('end', () => {
    cancel();
    socket.off('close', cancel);
  });
  let bytes = 0;
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LATE_BODY_BYTES) socket.destroy();
  });
  req.resume();
}
