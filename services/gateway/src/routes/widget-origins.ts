import cors from 'cors';
import type { RequestHandler } from 'express';

/** What belongs to the browser widget, and is asked for by pages of anybody's. */
export const WIDGET_PATH = '/widget';

/**
 * Pages of every origin may ask for the widget's routes and read the answers, and answers their preflights (D6.2). What
 * lets somebody in is a header that a page sends itself, never a cookie. The REST API, whose keys are private, is closed
 * to pages.
 */
export const allowEveryOrigin: RequestHandler = cors({
  origin: '*',
  methods: ['GET', 'POST'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'x-access-token', 'x-request-id'],
  exposedHeaders: [
    'x-request-id',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'Retry-After',
    'Idempotent-Replayed',
  ],
  maxAge: 600,
});
