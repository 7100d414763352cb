import { HEADER_COMPONENTS } from '@parley/kit/openapi';
import cors from 'cors';

/** The routes of the browser widget. */
export const WIDGET_PATH = '/widget';

/** Whether a path, which may have a query, belongs to these routes. */
export function isForPages(path: string): boolean {
  return path.startsWith(`${WIDGET_PATH}/`);
}

/**
 * CORS for the widget's routes: pages of every origin may call them [web-calls.11], because they authenticate by a header and
 * never by a cookie. The REST API, whose keys are private, allows no other origin.
 */
export const allowEveryOrigin = cors({
  origin: '*',
  methods: ['GET', 'POST'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'x-access-token', 'x-request-id'],
  exposedHeaders: Object.keys(HEADER_COMPONENTS),
  maxAge: 600,
});

/**
 * CORS for requests that could not be parsed: without it a page of the widget couldn't read why its request failed. If the headers could
 * not be parsed, the path isn't known, because the parser keeps only their last packet. The response contains an error code and a
 * request id, nothing else, so pages of every origin may read it on every path [web-calls.11].
 */
export const MALFORMED_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id',
} as const;
