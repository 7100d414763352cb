/**
 * Of every answer at the public door, unless a route has its own (pages do). Answers are data: no browser is to guess another type,
 * run or frame them, keep them for whoever uses it next, or tell other sites where it came from. HTTPS alone
 * (`Strict-Transport-Security`) is for whoever ends TLS to say.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;
