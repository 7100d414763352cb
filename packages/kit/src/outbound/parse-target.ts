import { isIP } from 'node:net';
import { parseUrl } from '@parley/contracts';

/** A parsed URL and its host. */
export type Target = {
  url: URL;
  secure: boolean;
  /** The name to resolve, or the address itself, without brackets. */
  host: string;
  isLiteral: boolean;
  port: number;
};

const MAX_URL_LENGTH = 2048;

/**
 * Parses by the WHATWG rules, which normalize every spelling of an IPv4 address (`0x7f.1`, `2130706433`, `０177.0.0.1`) and of dots.
 * Returns the problem, as a predicate, if the URL is not valid.
 */
export function parseTarget(text: string, base?: URL): Target | string {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  const url = parseUrl(text, base?.href);
  if (!url) return 'is not a valid URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https:// or http:// URL';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  url.hash = '';
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (port === 0) return 'must not name port 0';
  return { url, secure, host, isLiteral: isIP(host) !== 0, port };
}
