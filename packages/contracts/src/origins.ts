const PATTERN = /^(https?):\/\/(\*\.)?([^/?#@*\s\\]+)\/?$/i;
const NUMERIC_HOST = /^(?:\[|[\d.]+$)/;

/**
 * An origin in the form that browsers send (scheme, host and non-default port), or with `*.` for all subdomains of a host.
 * Undefined for anything else.
 */
export function normalizeOrigin(text: string): string | undefined {
  const [, scheme = '', wildcard = '', rest = ''] = PATTERN.exec(text) ?? [];
  const bare = `${scheme}://${rest}`;
  if (rest === '' || !URL.canParse(bare)) return undefined;
  const { origin, protocol, host, hostname } = new URL(bare);
  if (wildcard === '') return origin;
  const isDomain = hostname.includes('.') && !NUMERIC_HOST.test(hostname);
  return isDomain ? `${protocol}//*.${host}` : undefined;
}
