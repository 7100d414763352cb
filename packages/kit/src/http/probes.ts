import type { Express, Response } from 'express';
import { realTimer } from '../time/index.ts';
import { sendJson } from './answer.ts';
import type { AppOptions } from './app.ts';
import { contextOf } from './request-context.ts';

const DEADLINE_MS = 2_000;

/** `/healthz` (does the process make progress), `/readyz` (can it serve), `/metrics` (Prometheus): no token, no secrets. */
export function addProbes(app: Express, options: AppOptions, isStopping: () => boolean): void {
  const { liveness = async () => {}, readiness, metrics, probes = true } = options;
  const check = async (res: Response, path: string, test: () => Promise<void>): Promise<void> => {
    const context = contextOf(res.req);
    context.route = path;
    try {
      await within(DEADLINE_MS, test());
      sendJson(res, 200, '{"status":"ok"}');
    } catch (err) {
      context.log.warn({ err, probe: path }, 'probe failed');
      sendJson(res, 503, '{"status":"unavailable"}');
    }
  };

  app.get('/healthz', (_req, res) => check(res, '/healthz', liveness));
  if (!probes) return;
  app.get('/readyz', (_req, res) =>
    check(res, '/readyz', async () => {
      if (isStopping()) throw new Error('stopping');
      await readiness();
    }),
  );
  app.get('/metrics', async (req, res) => {
    contextOf(req).route = '/metrics';
    res.setHeader('content-type', metrics.registry.contentType);
    res.end(await metrics.registry.metrics());
  });
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = realTimer(ms, () => reject(new Error(`no answer within ${ms} ms`)));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
