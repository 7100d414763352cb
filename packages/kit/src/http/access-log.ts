import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { monotonicMs, realTimer } from '../time/index.ts';
import type { RequestContext } from './request-context.ts';

/** Limits for a body that still arrives after its response: it is discarded, and beyond the limits the connection is closed. */
const LATE_BODY_MS = 5_000;
const LATE_BODY_BYTES = 8 * 1024 ** 2;

/** Logs one line per finished request and observes its duration. */
export function logOnClose(
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  { log, metrics }: { log: Log; metrics: Metrics },
): void {
  res.once('close', () => {
    const ms = monotonicMs() - context.startedMs;
    const { requestId, route = 'unmatched', auth, errorCode, ids, isAborted } = context;
    // 499: the connection was closed before the response was sent, by the client, or after an error, which is logged.
    const status = res.writableFinished && !isAborted ? res.statusCode : 499;
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
    if (!req.complete && !req.destroyed) discardLateBody(req);
  });
}

function discardLateBody(req: IncomingMessage): void {
  const { socket } = req;
  const cancel = realTimer(LATE_BODY_MS, () => !req.complete && socket.destroy());
  // After the response a request does not always emit `close`; its socket does.
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
