import type { Express, Response } from 'express';
import { realTimer } from '../time/index.ts';
import type { AppOptions } from './app.ts';
import { allowOnlyGet } from './method-not-allowed.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { sendJson } from './send-response.ts';

const DEADLINE_MS = 2_000;

/** `/healthz` (the process makes progress), `/readyz` (it can serve) and `/metrics` (Prometheus), without authentication. */
export function addProbes(app: Express, options: AppOptions, isStopping: () => boolean): void {
  const { readiness, metrics, probes = true } = options;
  const check = async (res: Response, path: string, test: () => Promise<void>): Promise<void> => {
    const context = probeContext(res, path);
    try {
      await within(DEADLINE_MS, test());
      sendJson(res, 200, '{"status":"ok"}');
    } catch (err) {
      context.log.warn({ err, probe: path }, 'probe failed');
      sendJson(res, 503, '{"status":"unavailable"}');
    }
  };

  const get = (path: string, handle: (res: Response) => Promise<void>): void => {
    app
      .route(path)
      .get((_req, res) => handle(res))
      .all(allowOnlyGet);
  };

  get('/healthz', (res) => check(res, '/healthz', async () => {}));
  if (!probes) return;
  get('/readyz', (res) =>
    check(res, '/readyz', async () => {
      if (isStopping()) throw new Error('stopping');
      await readiness();
    }),
  );
  get('/metrics', async (res) => {
    probeContext(res, '/metrics');
    res.setHeader('content-type', metrics.registry.contentType);
    res.end(await metrics.registry.metrics());
  });
}

function probeContext(res: Response, route: string): RequestContext {
  return Object.assign(contextOf(res.req), { route, quiet: true });
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = realTimer(ms, () => reject(new Error(`no result within ${ms} ms`)));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
