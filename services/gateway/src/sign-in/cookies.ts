import type { IncomingMessage } from 'node:http';
import { parseUrl } from '@parley/contracts';
import { SecretError } from '@parley/kit/secrets';
import { realNow } from '@parley/kit/time';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { PepperBox } from '../secrets/pepper-box.ts';
import { CHALLENGE_MS } from './challenge.ts';

type CookieOptions = { form: RegExp; sameSite: 'strict' | 'lax'; path: string };

/**
 * Scripts can't read these cookies, and behind https only https carries them. There their name has the prefix `__Host-`,
 * by which browsers keep other hosts from setting them, and which requires the path `/`.
 */
function defineCookie(name: string, { form, sameSite, path }: CookieOptions) {
  const nameOf = (secure: boolean): string => (secure ? `__Host-${name}` : name);
  const attributes = (secure: boolean) =>
    ({ httpOnly: true, sameSite, secure, path: secure ? '/' : path }) as const;
  return {
    read: ({ headers }: IncomingMessage, secure: boolean): string | undefined => {
      for (const pair of headers.cookie?.split(';') ?? []) {
        const [sent = '', value = ''] = pair.trim().split('=');
        if (sent === nameOf(secure) && form.test(value)) return value;
      }
      return undefined;
    },
    set: (res: Response, value: string, secure: boolean, maxAge: number): void => {
      res.cookie(nameOf(secure), value, { ...attributes(secure), maxAge });
    },
    clear: (res: Response, secure: boolean): void => {
      res.clearCookie(nameOf(secure), attributes(secure));
    },
  };
}

export const sessionCookie = defineCookie('parley_session', {
  form: /^[A-Za-z0-9_-]{43}$/,
  sameSite: 'strict',
  path: '/',
});

const DEVICE_MS = 400 * 24 * 3_600_000;
const device = defineCookie('parley_device', { form: /^[\w.-]{1,400}$/, sameSite: 'strict', path: '/' });

/** The signed tokens of accounts that have signed in from this browser. */
export const deviceCookie = {
  /** Read under either name: it is signed, and survives a move of the installation to https. */
  read: (req: IncomingMessage): string | undefined => device.read(req, false) ?? device.read(req, true),
  set: (res: Response, devices: string, secure: boolean): void => device.set(res, devices, secure, DEVICE_MS),
};

const challenge = defineCookie('parley_challenge', {
  form: /^[\w.-]{1,400}$/,
  sameSite: 'strict',
  path: '/dashboard/api/session',
});

/** The proof of a correct password, while the code of the second factor is missing. */
export const challengeCookie = {
  ...challenge,
  set: (res: Response, value: string, secure: boolean): void =>
    challenge.set(res, value, secure, CHALLENGE_MS),
};

const SSO_PLACE = 'cookie:sso';
/** How long a person may take at the provider. */
const SSO_MS = 10 * 60_000;
const ssoState = z.object({
  attempt: z.object({ verifier: z.string(), state: z.string(), nonce: z.string() }),
  returnTo: z.string(),
  linkTo: z.string().optional(),
  until: z.number(),
});

/** Sealed state in the browser while the person is at the provider; the gateway stores nothing. */
export type SsoState = Omit<z.output<typeof ssoState>, 'until'>;

/** `lax`: the cookie must be sent with the redirect from the provider's page. */
const sso = defineCookie('parley_sso', {
  form: /^[\w-]{1,3000}$/,
  sameSite: 'lax',
  path: '/dashboard/api/oidc',
});

export const ssoCookie = {
  clear: sso.clear,
  set: (res: Response, box: PepperBox, value: SsoState, secure: boolean): void => {
    const sealed = box.seal(JSON.stringify({ ...value, until: realNow().getTime() + SSO_MS }), SSO_PLACE);
    sso.set(res, Buffer.from(sealed).toString('base64url'), secure, SSO_MS);
  },
  read: (req: IncomingMessage, box: PepperBox, secure: boolean): SsoState | undefined => {
    const text = sso.read(req, secure);
    if (!text) return undefined;
    try {
      const opened = box.open(Buffer.from(text, 'base64url').toString(), SSO_PLACE);
      const state = ssoState.safeParse(JSON.parse(opened));
      return state.success && state.data.until > realNow().getTime() ? state.data : undefined;
    } catch (err) {
      if (err instanceof SecretError || err instanceof SyntaxError) return undefined;
      throw err;
    }
  },
};

/**
 * Whether a page of another site has sent the request, according to `Sec-Fetch-Site` or else `Origin`. A client that sends
 * neither is not a browser. An `Origin` that is no URL is of another site, also without a `Host` (HTTP/1.0).
 */
export function isCrossSite(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.get('origin');
  if (origin === undefined) return false;
  const url = parseUrl(origin);
  return url === undefined || url.host !== req.host;
}
