import { parseAddress } from '../outbound/ip-address.ts';

/** A marker in every secret that this repository publishes, as text or as bytes of a key. */
const PUBLISHED = 'dev-only-';
/** The passwords in docker-compose.yml, .env.example and the template of the secrets of production. */
const PUBLISHED_PASSWORDS: ReadonlySet<string> = new Set(['parley-dev', 'guest', 'password']);
/** The secret of a TURN server in .env.example. */
const PUBLISHED_TURN_SECRET = 'the static-auth-secret of coturn';

/** The names of variables with a published development secret [trust.16]. */
export function publishedSecrets(config: Readonly<Record<string, unknown>>): string[] {
  const isProduction = config.NODE_ENV === 'production';
  return Object.entries(config)
    .filter(([, value]) => isPublished(value) || (isProduction && hasPublishedPassword(value)))
    .map(([name]) => name);
}

function hasPublishedPassword(value: unknown): boolean {
  if (typeof value === 'string') {
    if (value === PUBLISHED_TURN_SECRET) return true;
    return URL.canParse(value) && PUBLISHED_PASSWORDS.has(new URL(value).password);
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  return Object.values(value).some(hasPublishedPassword);
}

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
