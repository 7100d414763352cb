/** Of this page's response, which style elements need (ADR 60); undefined under `vite dev`. */
export function cspNonce(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce || undefined;
}
