import { createHmac, randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { pino } from 'pino';
import { z } from 'zod';

const MAX_PER_MINUTE = 999_999_999;

const environment = z.object({ DATABASE_URL: z.string(), REDIS_URL: z.string(), KEY_PEPPER: z.string() });

/** A simple version of what the gateway does: log line, key lookup, and a rate limit per minute in Redis. */
export function duties(env: NodeJS.ProcessEnv): RequestHandler[] {
  const { DATABASE_URL, REDIS_URL, KEY_PEPPER } = environment.parse(env);
  const pool = new Pool({ connectionString: DATABASE_URL, max: 4 });
  const redis = new Redis(REDIS_URL);
  const log = pino();

  const logRequest: RequestHandler = (req, res, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    res.setHeader('x-request-id', requestId);
    res.once('finish', () => {
      const ms = Math.round(performance.now() - startedAt);
      const { workspaceId } = res.locals;
      log.info(
        { method: req.method, url: req.url, status: res.statusCode, ms, requestId, workspaceId },
        'request',
      );
    });
    next();
  };

  const checkKey: RequestHandler = async (req, res, next) => {
    const key = req.get('authorization')?.replace(/^Bearer /, '') ?? '';
    const hash = createHmac('sha256', KEY_PEPPER).update(key).digest('hex');
    const { rows } = await pool.query(
      'SELECT workspace_id FROM api_keys WHERE hash = $1 AND is_active AND (expires_at IS NULL OR expires_at > now())',
      [hash],
    );
    if (rows.length === 0) return void res.status(401).json({ error: 'invalid key' });
    res.locals.workspaceId = rows[0].workspace_id;
    next();
  };

  const checkLimit: RequestHandler = async (_req, res, next) => {
    const key = `express-limit:${res.locals.workspaceId}:${Math.floor(Date.now() / 60_000)}`;
    const [[, count] = []] = (await redis.multi().incr(key).expire(key, 60).exec()) ?? [];
    res.setHeader('x-ratelimit-remaining', MAX_PER_MINUTE - Number(count));
    if (Number(count) > MAX_PER_MINUTE) return void res.status(429).json({ error: 'too many requests' });
    next();
  };

  return [logRequest, checkKey, checkLimit];
}
