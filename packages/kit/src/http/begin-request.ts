import type { IncomingMessage, ServerResponse } from 'node:http';
import { logOnClose } from './access-log.ts';
import type { AppOptions } from './app.ts';
import { hasContext, openContext } from './request-context.ts';

export type BeginRequest = (req: IncomingMessage, res: ServerResponse) => void;

/** Prepares each request once: headers of every response, request id and context, access log. */
export function createBeginRequest({ log, metrics, headers = {}, continuesTrace }: AppOptions): BeginRequest {
  const common = Object.entries(headers);
  return (req, res) => {
    if (hasContext(req)) return;
    for (const [name, value] of common) res.setHeader(name, value);
    const context = openContext(req, log);
    if (continuesTrace && !continuesTrace(req)) context.isTraceForeign = true;
    res.setHeader('x-request-id', context.requestId);
    logOnClose(req, res, context, { log, metrics });
  };
}
