import cors from 'cors';
import type { RequestHandler } from 'express';

/** The routes of the browser widget. */
export const WIDGET_PATH = '/widget';

/**
 * CORS for the widget's routes: pages of every origin may call them [web-calls.9], because they authenticate by a header and
 * never by a cookie. The REST API, whose keys are private, allows no other origin.
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
