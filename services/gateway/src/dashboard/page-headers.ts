/** In the built `index.html`, replaced by the nonce of each response. */
export const NONCE_PLACEHOLDER = '__CSP_NONCE__';

/**
 * Headers of the dashboard's page (ADR 60). Scripts only from this origin, none inline. Style elements, which components insert,
 * need the nonce. Recordings may have another origin, if `PUBLIC_URL` isn't the address in the browser.
 */
export function pageHeaders(nonce: string, publicUrl: string | undefined): Record<string, string> {
  const elsewhere = publicUrl === undefined ? '' : ` ${new URL(publicUrl).origin}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      // React and charts set style attributes, which can't load or select anything.
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
      `connect-src 'self'${elsewhere}`,
      `media-src 'self' blob:${elsewhere}`,
      "worker-src 'self' blob:",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // The microphone is needed to talk to an assistant.
    'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
  };
}

/** Names of built assets contain a hash of their content. */
export const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

/** Other files, such as the icon. */
export const FILE_HEADERS = {
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'same-origin',
};
