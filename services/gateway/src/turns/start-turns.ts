import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { AppError } from '@parley/kit/errors';
import type { App } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Metrics } from '@parley/kit/observability';
import { hasBody } from '../forward/headers.ts';
import { allowEveryOrigin, isForPages } from '../forward/widget-origins.ts';
import { createTurnLimit } from './turn-limit.ts';
import { createTurns, type Share, type Turns } from './turns.ts';

const ADJUST_EVERY_MS = 100;
const RESOLUTION_MS = 10;
const RETRY_AFTER_SECONDS = 1;

/** Turns of requests, with a limit that follows how late this process's event loop is. */
export function startTurns(lifecycle: Lifecycle): Turns {
  const limit = createTurnLimit();
  const turns = createTurns(limit.max);
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const adjusting = setInterval(() => {
    const lateMs = delays.max / 1e6 - RESOLUTION_MS;
    delays.reset();
    limit.adjust(lateMs, turns.busiest());
  }, ADJUST_EVERY_MS);
  lifecycle.onStop('turns', () => {
    clearInterval(adjusting);
    delays.disable();
  });
  return turns;
}

type Options = { turns: Turns; metrics: Metrics; shareOf: (req: IncomingMessage) => Share };

/** The app, whose requests begin in turns. */
export function inTurns(app: App, { turns, metrics, shareOf }: Options): App {
  metrics.gauge(
    'parley_requests_waiting',
    'Requests that wait for a turn because the process is busy',
    [],
    (gauge) => gauge.set(turns.waiting()),
  );
  const refused = metrics.counter(
    'parley_turns_refused_total',
    'Requests refused because too many of their share waited for a turn',
  );
  const refuse = (req: IncomingMessage, res: ServerResponse): void => {
    refused.inc();
    // A response without a socket waits behind that of an earlier request of its connection: closing it would discard those after it.
    // A body that is unread when the connection closes can cost the client the response: it is discarded instead.
    const keepsOpen = res.socket === null || hasBody(req);
    app.reject(req, res, tooManyWait(), { keepsOpen });
  };
  return {
    ...app,
    listener: (req, res) => {
      const outcome = turns.take(
        () => shareOf(req),
        res,
        () => app.listener(req, res),
      );
      if (outcome === 'begun') return;
      app.begin(req, res);
      if (outcome === 'waits') return;
      // Grants preflights: a page cannot read the refusal of one, but that of the request which follows.
      if (isForPages(req.url ?? '')) allowEveryOrigin(req, res, () => refuse(req, res));
      else refuse(req, res);
    },
  };
}

function tooManyWait(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'Too many requests wait already; retry after the delay in Retry-After',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
