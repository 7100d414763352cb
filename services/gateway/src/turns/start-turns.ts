import type { IncomingMessage } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { App } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Metrics } from '@parley/kit/observability';
import { createTurnLimit } from './turn-limit.ts';
import { createTurns, type Turns } from './turns.ts';

const ADJUST_EVERY_MS = 100;
const RESOLUTION_MS = 10;

/** Turns of requests, with a limit that follows how late this process's event loop is. */
export function startTurns(lifecycle: Lifecycle, metrics: Metrics): Turns {
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
  metrics.gauge(
    'parley_requests_waiting',
    'Requests that wait for a turn because the process is busy',
    [],
    (gauge) => gauge.set(turns.waiting()),
  );
  return turns;
}

/** The app, whose requests begin in turns. */
export function inTurns(app: App, turns: Turns, shareOf: (req: IncomingMessage) => string): App {
  return {
    ...app,
    listener: (req, res) =>
      turns.take(
        () => shareOf(req),
        res,
        () => app.listener(req, res),
      ),
  };
}
