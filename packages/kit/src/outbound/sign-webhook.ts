import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64. [webhooks.7] */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The secrets of a receiver that have not expired, the current one first. */
export function activeSecrets(
  secrets: readonly { secret: string; expires_at: string | null }[],
  now: Date,
): string[] {
  return secrets
    .filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now.getTime())
    .map(({ secret }) => secret);
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length === 0) throw new RangeError('A webhook secret is empty');
  return `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
}

/**
 * The Standard Webhooks headers of a body: one signature per secret, two during a rotation [webhooks.7]. `timestamp` is real time, the
 * receiver's clock.
 */
export function signWebhook(
  secrets: readonly string[],
  id: string,
  timestamp: Date,
  body: string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  if (secrets.length === 0) throw new RangeError('A webhook needs a signing secret');
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const content = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => sign(secret, content)).join(' '),
  };
}
