import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type { Configuration } from 'oidc-provider';

type Someone = { email?: string; email_verified?: boolean; groups?: string[] };

const CLIENT = { client_id: 'parley', client_secret: 'the-client-secret-of-the-tests' };
export const OIDC_CLIENT = CLIENT;

/** A real OpenID Connect provider; people sign in by their subject, with any password. */
export async function oidcProvider() {
  // Suppresses its warnings about production settings.
  for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockImplementation(() => {});
  const { Provider } = await import('oidc-provider');
  const people = new Map<string, Someone>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Called once the gateway's URL is known. */
  const serve = (gatewayUrl: string): void => {
    const configuration: Configuration = {
      clients: [{ ...CLIENT, redirect_uris: [`${gatewayUrl}/dashboard/api/oidc/callback`] }],
      cookies: { keys: ['a key of the tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
      scopes: ['openid', 'email', 'groups'],
      pkce: { required: () => true },
      features: { devInteractions: { enabled: true } },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }),
    };
    server.on('request', new Provider(issuer, configuration).callback());
  };

  return {
    issuer,
    people,
    serve,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A browser: follows redirects, keeps cookies for each host and path, fills the provider's forms. */
export function createBrowser(cookies = new Map<string, { value: string; path: string }>()) {
  const visit = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const { host, pathname } = new URL(url);
    const sent = [...cookies]
      .filter(([key, { path }]) => key.startsWith(`${host} `) && pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`);
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: sent.join('; ') },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split('; ');
      const [name = '', ...value] = pair.split('=');
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      if (value.join('=') === '') cookies.delete(`${host} ${name}`);
      else cookies.set(`${host} ${name}`, { value: value.join('='), path });
    }
    return response;
  };

  /** Follows redirects from `start` and returns the last page; stops before `stopAt`. */
  const signIn = async (
    start: string,
    subject: string,
    stopAt?: string,
  ): Promise<{ url: string; response: Response }> => {
    let url = start;
    let response = await visit(url);
    for (let hops = 0; hops < 20; hops += 1) {
      const location = response.headers.get('location');
      if (location) {
        url = new URL(location, url).href;
        if (stopAt && url.includes(stopAt)) return { url, response };
        if (new URL(url).pathname === '/dashboard/') return { url, response };
        response = await visit(url);
        continue;
      }
      const page = await response.clone().text();
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      const [, action] = /action="([^"]+)"/.exec(page) ?? [];
      if (!prompt || !action) return { url, response };
      url = new URL(action, url).href;
      response = await visit(url, { prompt, login: subject, password: 'x' });
    }
    throw new Error('the browser was sent in circles');
  };

  const cookieOf = (url: string): string =>
    [...cookies]
      .filter(([key]) => key.startsWith(`${new URL(url).host} `))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
      .join('; ');

  return { visit, signIn, cookies, cookieOf };
}
