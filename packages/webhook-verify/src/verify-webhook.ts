import { createHmac, timingSafeEqual } from 'node:crypto';

/** Headers of `fetch` or a similar API, of any class. */
type HeadersWithGet = { get(name: string): string | null | undefined };

/** Headers of `node:http`, in any case, or of `fetch`. */
export type WebhookHeaders =
  | HeadersWithGet
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** Maximum difference between `webhook-timestamp` and now, in either direction. */
  toleranceSeconds?: number;
  now?: Date;
};

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Whether exactly these bytes were signed with the secret (`whsec_…`), or one of several, within the last five minutes (Standard
 * Webhooks; [webhooks.7]). Malformed requests return false and never throw; an invalid secret throws a RangeError.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): boolean {
  const keys = [secret].flat().map(keyOf);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (id === '' || !isRecent(timestamp, now, toleranceSeconds)) return false;
  const expected = keys.map((key) => sign(key, `${id}.${timestamp}.`, rawBody));
  // Always compares all of them, so that the duration doesn't reveal which one matches.
  let matches = false;
  for (const signature of signatures) {
    for (const own of expected) matches = isSame(signature, own) || matches;
  }
  return matches;
}

/** Identifies a tool request without a body: `request.method` and `request.url` of `node:http`. */
export type SignedRequestLine = {
  method: string;
  /** Path and query exactly as received (`/orders?n=1`), before a router or proxy rewrites them. */
  url: string;
};

/**
 * Verifies the request of a GET tool, which has no body: method, path and query are signed instead (`GET /orders?n=1`), so that a
 * captured signature is invalid for any other path or arguments [tools.23].
 */
export function verifyToolRequest(
  { method, url }: SignedRequestLine,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): boolean {
  return verifyWebhook(`${method.toUpperCase()} ${url}`, headers, secret, options);
}

function keyOf(secret: string | undefined): Buffer {
  if (!secret) throw new RangeError('The webhook secret is empty');
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length === 0) throw new RangeError('The webhook secret is empty');
  return key;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (hasGet(headers)) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** Not a function if it is a header named `get`. */
function hasGet(headers: WebhookHeaders): headers is HeadersWithGet {
  return typeof headers.get === 'function';
}

function isRecent(timestamp: string, now: Date, toleranceSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) <= toleranceSeconds;
}

function sign(key: Buffer, head: string, rawBody: string | Uint8Array): Buffer {
  return Buffer.from(`v1,${createHmac('sha256', key).update(head).update(rawBody).digest('base64')}`);
}

function isSame(signature: string, expected: Buffer): boolean {
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
