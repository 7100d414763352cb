import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64. spec: D8.1. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length === 0) throw new RangeError('A webhook secret is empty');
  return `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
}

/**
 * The Standard Webhooks headers for exactly these bytes: a signature for each secret, two during a rotation.
 * `timestamp` is real time, since that is the clock of whoever checks it. spec: D8.1.
 */
export function signWebhook(
  secrets: readonly string[],
  id: string,
  timestamp: Date,
  body: string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  if (secrets.length === 0) throw new RangeError('A webhook needs a secret to be signed with');
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const content = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => sign(secret, content)).join(' '),
  };
}
