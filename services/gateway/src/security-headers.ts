/**
 * Headers of every public response, unless a route sets its own (pages do): responses are data that browsers must
 * not sniff, run, frame, store or leak in a Referer.
 */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const YEAR_SECONDS = 31_536_000;

/** HSTS for a year behind https; not for subdomains, which may not belong to this installation. */
export function securityHeaders(publicUrl: string | undefined): Record<string, string> {
  if (!publicUrl?.startsWith('https:')) return SECURITY_HEADERS;
  return { ...SECURITY_HEADERS, 'strict-transport-security': `max-age=${YEAR_SECONDS}` };
}
