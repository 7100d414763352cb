/** Passwords of URLs, API keys (the displayed prefix stays, D2.1), webhook secrets and bearer tokens. */
const SECRETS: [RegExp, string][] = [
  [/(:\/\/[^/\s:@]*):[^/\s@]+@/g, '$1:[redacted]@'],
  [/\b(svc_(?:pub_)?[0-9A-Za-z]{8})[0-9A-Za-z]{20,}/g, '$1[redacted]'],
  [/\bwhsec_[0-9A-Za-z+/=]+/g, 'whsec_[redacted]'],
  [/\b(Bearer\s+)[^\s"',]+/gi, '$1[redacted]'],
];

/** Cuts what looks like a credential out of a text that others wrote. */
export function scrub(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
