const ORIGIN = /^https?:\/\/([^:]+)(?::\d+)?$/;
const LABEL = /^[a-z0-9_-]+$/;
const WILDCARD = '*.';
/** Of the origins that a key can list. */
const MAX_LENGTH = 255;

/**
 * Whether pages of this origin may use a key [trust.7]: a listed origin, or a subdomain (of one or more labels) of one
 * that is listed with `*.`. Origins are stored in the form that browsers send.
 */
export function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || origin.length > MAX_LENGTH) return false;
  if (allowed.includes(origin)) return !origin.includes(WILDCARD);
  return hasDomain(origin) && allowed.some((one) => one.includes(WILDCARD) && isSubdomain(origin, one));
}

/**
 * By splitting, since this runs before any rate limit: a regular expression for several labels takes time that grows with the
 * square of a hostile header.
 */
function hasDomain(origin: string): boolean {
  const labels = ORIGIN.exec(origin)?.[1]?.split('.') ?? [];
  return labels.length > 1 && labels.every((label) => LABEL.test(label));
}

function isSubdomain(origin: string, pattern: string): boolean {
  const at = pattern.indexOf(WILDCARD);
  const scheme = pattern.slice(0, at);
  const suffix = pattern.slice(at + 1);
  return (
    origin.startsWith(scheme) && origin.endsWith(suffix) && origin.length > scheme.length + suffix.length
  );
}
