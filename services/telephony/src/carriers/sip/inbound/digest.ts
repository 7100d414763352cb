import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

// Digest authentication of inbound calls (RFC 3261, 22.4). Nonces are signed, so that nothing is stored for unknown callers, and any worker
// can verify the response to another worker's challenge.

const REALM = 'parley';
const NONCE_SECONDS = 60;
/** Far more than the calls that a worker takes while a nonce is valid. */
const MAX_USED = 50_000;
const MAX_HEADER_CHARACTERS = 2_048;

type Credentials = { username: string; password: string };
export type DigestResponse = {
  username: string;
  uri: string;
  nonce: string;
  response: string;
  qop: string | null;
  nc: string;
  cnonce: string;
};

export type Digest = {
  /** The value of WWW-Authenticate. `isStale`: only the nonce was wrong, so the caller may try again with the same credentials. */
  challenge(source: string, isStale?: boolean): string;
  /** The parsed header, if its nonce is one of ours for this source; `stale`: it is too old. */
  read(header: string | undefined, source: string): DigestResponse | 'stale' | undefined;
  /** Records that a response has admitted a call. False: it had admitted another call, and may have been captured. */
  use(response: DigestResponse, call: string): boolean;
};

export function createDigest({ secret, nowMs }: { secret: string; nowMs: () => number }): Digest {
  const seal = (seconds: number, source: string): string =>
    `${seconds.toString(36)}.${createHmac('sha256', secret).update(`${seconds} ${source}`).digest('base64url')}`;
  /** The calls that responses have admitted, in this process only: other workers accept a captured one until its nonce expires. */
  const used = new LRUCache<string, string>({ max: MAX_USED });
  return {
    challenge: (source, isStale = false) => {
      const nonce = seal(Math.floor(nowMs() / 1_000), source);
      const stale = isStale ? ', stale=true' : '';
      return `Digest realm="${REALM}", nonce="${nonce}", algorithm=MD5, qop="auth"${stale}`;
    },
    use({ qop, response }, call) {
      // Without `qop` there is no counter, so two calls within a second have the same response.
      if (qop === null) return true;
      const key = response.toLowerCase();
      const before = used.get(key);
      used.set(key, before ?? call);
      return before === undefined || before === call;
    },
    read(header, source) {
      if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
      const fields = fieldsOf(header);
      const { username, nonce, response, uri } = fields;
      if (fields.realm !== REALM || !username || !nonce || !response || !uri) return undefined;
      const seconds = Number.parseInt(nonce.split('.', 1)[0] ?? '', 36);
      const age = nowMs() / 1_000 - seconds;
      if (!(age >= -1) || !isEqual(seal(seconds, source), nonce)) return undefined;
      if (age > NONCE_SECONDS) return 'stale';
      const { qop = null, nc = '', cnonce = '' } = fields;
      return { username, uri, nonce, response, qop, nc, cnonce };
    },
  };
}

/** Whether the response proves these credentials. */
export function provesCredentials(
  { uri, nonce, response, qop, nc, cnonce, username }: DigestResponse,
  method: string,
  { username: expected, password }: Credentials,
): boolean {
  const first = md5(`${expected}:${REALM}:${password}`);
  const second = md5(`${method}:${uri}`);
  const proof =
    qop === null
      ? md5(`${first}:${nonce}:${second}`)
      : md5(`${first}:${nonce}:${nc}:${cnonce}:${qop}:${second}`);
  return username === expected && isEqual(proof, response.toLowerCase());
}

/** The user name in a digest, unverified. */
export function usernameOf(header: string | undefined): string | undefined {
  return header === undefined || header.length > MAX_HEADER_CHARACTERS
    ? undefined
    : fieldsOf(header).username;
}

function fieldsOf(header: string): Partial<Record<string, string>> {
  const [, list = ''] = /^\s*Digest\s+(.*)$/is.exec(header) ?? [];
  const fields: Partial<Record<string, string>> = {};
  for (const [, name = '', quoted, plain] of list.matchAll(
    /(?<![a-z])([a-z]{1,16})\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi,
  ))
    fields[name.toLowerCase()] = quoted ?? plain ?? '';
  return fields;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
