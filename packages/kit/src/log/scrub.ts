/** Passwords of URLs, API keys (without their displayed prefix [access.3]), webhook secrets and bearer tokens. */
const SECRETS: [RegExp, string][] = [
  [/(:\/\/[^/\s:@]*):[^/\s@]+@/g, '$1:[redacted]@'],
  [/\b(svc_(?:pub_)?[0-9A-Za-z]{8})[0-9A-Za-z]{20,}/g, '$1[redacted]'],
  [/\bwhsec_[0-9A-Za-z+/=]+/g, 'whsec_[redacted]'],
  [/\b(Bearer\s+)[^\s"',]+/gi, '$1[redacted]'],
];

/** Redacts anything that looks like a credential in text from another system. */
export function scrub(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
