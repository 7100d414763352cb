import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

// Digest authentication of calls that come in (RFC 3261, 22.4). Nonces carry their own proof, so that nothing is stored for a stranger
// and any worker can check what another one has asked for.

const REALM = 'parley';
const NONCE_SECONDS = 60;
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
  /** The value of WWW-Authenticate. */
  challenge(source: string): string;
  /** What the header says, if its nonce is one of ours for this source, and not too old. */
  read(header: string | undefined, source: string): DigestResponse | undefined;
};

export function createDigest({ secret, nowMs }: { secret: string; nowMs: () => number }): Digest {
  const seal = (seconds: number, source: string): string =>
    `${seconds.toString(36)}.${createHmac('sha256', secret).update(`${seconds} ${source}`).digest('base64url')}`;
  return {
    challenge: (source) => {
      const nonce = seal(Math.floor(nowMs() / 1_000), source);
      return `Digest realm="${REALM}", nonce="${nonce}", algorithm=MD5, qop="auth"`;
    },
    read(header, source) {
      if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
      const fields = fieldsOf(header);
      const { username, nonce, response, uri } = fields;
      if (fields.realm !== REALM || !username || !nonce || !response || !uri) return undefined;
      const seconds = Number.parseInt(nonce.split('.', 1)[0] ?? '', 36);
      const age = nowMs() / 1_000 - seconds;
      if (!(age >= -1 && age <= NONCE_SECONDS) || !isEqual(seal(seconds, source), nonce)) return undefined;
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

function fieldsOf(header: string): Partial<Record<string, string>> {
  const [, list = ''] = /^\s*Digest\s+(.*)$/is.exec(header) ?? [];
  const fields: Partial<Record<string, string>> = {};
  for (const [, name = '', quoted, plain] of list.matchAll(/([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi))
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
