const ORIGIN = /^(https?:\/\/)((?:[a-z0-9_-]+\.)+)([a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d+)?)$/;
const WILDCARD = '*.';

/**
 * Whether pages of this origin may use a key [trust.7]: a listed origin, or a subdomain (of one or more labels) of one
 * that is listed with `*.`. Origins are stored in the form that browsers send.
 */
export function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined) return false;
  return allowed.some((one) => (one.includes(WILDCARD) ? isSubdomain(origin, one) : one === origin));
}

function isSubdomain(origin: string, pattern: string): boolean {
  const at = pattern.indexOf(WILDCARD);
  if (!ORIGIN.test(origin)) return false;
  const scheme = pattern.slice(0, at);
  const suffix = pattern.slice(at + 1);
  return (
    origin.startsWith(scheme) && origin.endsWith(suffix) && origin.length > scheme.length + suffix.length
  );
}
