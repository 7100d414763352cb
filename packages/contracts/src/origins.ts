import { parseUrl } from './parse-url.ts';

const PATTERN = /^(https?):\/\/(\*\.)?([^/?#@*\s\\]+)\/?$/i;
const NUMERIC_HOST = /^(?:\[|[\d.]+$)/;

/**
 * An origin in the form that browsers send (scheme, host and non-default port), or with `*.` for all subdomains of a host.
 * Undefined for anything else.
 */
export function normalizeOrigin(text: string): string | undefined {
  const [, scheme = '', wildcard = '', rest = ''] = PATTERN.exec(text) ?? [];
  const url = rest === '' ? undefined : parseUrl(`${scheme}://${rest}`);
  if (!url) return undefined;
  const { origin, protocol, host, hostname } = url;
  if (wildcard === '') return origin;
  const isDomain = hostname.includes('.') && !NUMERIC_HOST.test(hostname);
  return isDomain ? `${protocol}//*.${host}` : undefined;
}
