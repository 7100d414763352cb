import { createHmac, timingSafeEqual } from 'node:crypto';

/** As `fetch` and its like have them: asked by name, of whatever class. */
type HeadersWithGet = { get(name: string): string | null | undefined };

/** As `node:http` has them, in any case, or as `fetch` has them. */
export type WebhookHeaders =
  | HeadersWithGet
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How far `webhook-timestamp` may be from now, either way. */
  toleranceSeconds?: number;
  now?: Date;
};

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Whether these very bytes were signed with the secret (`whsec_…`), or one of several, within the last five minutes (Standard
 * Webhooks; [webhooks.7]). False whatever else came: nothing that a stranger sends makes it throw. A RangeError is
 * about a secret that can't be one.
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
  // All are compared: how long it takes tells nothing of which one fits.
  let fits = false;
  for (const signature of signatures) {
    for (const own of expected) fits = isSame(signature, own) || fits;
  }
  return fits;
}

/** What a tool request without a body is known by: `request.method` and `request.url` of `node:http`. */
export type SignedRequestLine = {
  method: string;
  /** Path and query exactly as they came (`/orders?n=1`), before a router or a proxy of yours rewrote them. */
  url: string;
};

/**
 * The same for the request of a GET tool, which has no body: method, path and query are signed in its place
 * (`GET /orders?n=1`), so that a captured signature is good for no other path and no other arguments [tools.23].
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

/** A header that is called `get` is a text. */
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
