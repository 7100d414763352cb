import type { IncomingMessage, ServerResponse } from 'node:http';
import { logOnClose } from './access-log.ts';
import type { AppOptions } from './app.ts';
import { openContext } from './request-context.ts';

export type Open = (req: IncomingMessage, res: ServerResponse) => void;

/** How each answer begins: the headers that all have, the request's id and context, and its line in the log to come. */
export function createOpen({ log, metrics, headers = {} }: AppOptions): Open {
  const always = Object.entries(headers);
  return (req, res) => {
    for (const [name, value] of always) res.setHeader(name, value);
    const context = openContext(req, log);
    res.setHeader('x-request-id', context.requestId);
    logOnClose(req, res, context, { log, metrics });
  };
}
