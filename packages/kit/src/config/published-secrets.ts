import { parseAddress } from '../outbound/ip-address.ts';

/** A marker in every secret that this repository publishes, as text or as bytes of a key. */
const PUBLISHED = 'dev-only-';
/** The password of the servers in docker-compose.yml, which is for development only. */
const PUBLISHED_PASSWORD = ':parley-dev@';

/** The names of variables with a published development secret [trust.16]. */
export function publishedSecrets(config: Readonly<Record<string, unknown>>): string[] {
  const isProduction = config.NODE_ENV === 'production';
  return Object.entries(config)
    .filter(([, value]) => isPublished(value) || (isProduction && hasPublishedPassword(value)))
    .map(([name]) => name);
}

const hasPublishedPassword = (value: unknown): boolean =>
  typeof value === 'string' && value.includes(PUBLISHED_PASSWORD);

/** Whether a server that listens on `host` is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return parseAddress(host)?.range() === 'loopback';
}

function isPublished(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(PUBLISHED);
  if (!Array.isArray(value)) return false;
  const [first] = value;
  // Each of these secrets verifies signatures.
  if (typeof first === 'string') return value.some(isPublished);
  // The first key of a list encrypts or signs; a published one after it can only read old data.
  const key: unknown = Buffer.isBuffer(first) ? first : first?.key;
  return Buffer.isBuffer(key) && key.includes(PUBLISHED);
}
