import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';

const NAME = 'parley_session';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Behind https the cookie carries a prefix by which browsers keep other hosts from setting it. */
const nameOf = (secure: boolean): string => (secure ? `__Host-${NAME}` : NAME);

/** The token of the request's session, if it carries one. */
export function readSessionCookie(req: IncomingMessage, secure: boolean): string | undefined {
  for (const pair of req.headers.cookie?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=');
    if (name === nameOf(secure) && TOKEN.test(value)) return value;
  }
  return undefined;
}

/** No script reads it, no other site's page sends it, and nothing but https carries it where there is https. */
const attributes = (secure: boolean) => ({ httpOnly: true, sameSite: 'strict', secure, path: '/' }) as const;

export function setSessionCookie(res: Response, token: string, secure: boolean, maxAgeMs: number): void {
  res.cookie(nameOf(secure), token, { ...attributes(secure), maxAge: maxAgeMs });
}

export function clearSessionCookie(res: Response, secure: boolean): void {
  res.clearCookie(nameOf(secure), attributes(secure));
}

/**
 * Whether a page of another site has sent the request, as far as the browser says: by `Sec-Fetch-Site`, else by `Origin`.
 * Who says neither is no browser.
 */
export function isForeign(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.get('origin');
  return origin !== undefined && hostOf(origin) !== req.host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
