import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { SESSION_COOKIE } from '../shapes/dashboard.ts';

const route = { service: 'gateway', access: 'open', tag: 'Dashboard', method: 'GET' } as const;

export const getSignInMethods = defineEndpoint({
  ...route,
  id: 'getSignInMethods',
  path: '/dashboard/api/sign-in-methods',
  status: 200,
  envelope: 'data',
  response: z.object({
    password: z.boolean().describe('Sign-in with e-mail address and password'),
    sso: z.boolean().describe('Single sign-on, which starts at `/dashboard/api/oidc/start`'),
    mail: z.boolean().describe('Password reset by mail'),
  }),
  errors: ['RATE_LIMITED'],
  summary: 'Get the available sign-in methods',
  description: 'As configured by the operator.',
});

export const startSso = defineEndpoint({
  ...route,
  id: 'startSso',
  path: '/dashboard/api/oidc/start',
  query: z.object({
    return_to: z
      .string()
      .max(500, { abort: true })
      .regex(/^\/dashboard(\/[\w./#?=&-]*)?$/, { error: 'must be a path of the dashboard' })
      .default('/dashboard/')
      .describe('Dashboard path to redirect to afterwards'),
  }),
  status: 302,
  envelope: 'bare',
  cookies: { 302: 'State of the sign-in, for the callback' },
  errors: ['CONFLICT', 'VALIDATION_FAILED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  summary: 'Start single sign-on',
  description:
    'Redirects (302) to the identity provider (OpenID Connect with authorization code, PKCE, state and nonce). Open ' +
    'it in a browser. If the browser has a session, the identity is linked to its account, provided that the ' +
    'identity provider has verified the address. `CONFLICT` if single sign-on is not configured.',
});

export const finishSso = defineEndpoint({
  ...route,
  id: 'finishSso',
  path: '/dashboard/api/oidc/callback',
  status: 302,
  envelope: 'bare',
  cookies: { 302: SESSION_COOKIE },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  summary: 'Callback of the identity provider',
  description:
    'Sets the session cookies and redirects (302) to `return_to`. `UNAUTHORIZED` if the provider rejected the ' +
    'sign-in, or it was not started in this browser within the last ten minutes. `FORBIDDEN` if the person has ' +
    'neither an invitation nor a mapped group, or the provider has not verified the address.',
});
