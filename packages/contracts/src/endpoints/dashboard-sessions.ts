import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  dashboardSession,
  emailAddress,
  newPassword,
  SESSION_COOKIE,
  secondFactorCode,
  whoAmI,
} from '../shapes/dashboard.ts';
import { idParams, uuid } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard' } as const;

const COOKIE =
  'The response sets a cookie (httpOnly, SameSite=Strict, Secure behind HTTPS) that is accepted wherever a ' +
  'private key is, except by `POST /widget/call`. Requests other than GET must send `csrf_token` as `x-csrf-token`.';

export const signIn = defineEndpoint({
  ...route,
  access: 'open',
  id: 'signIn',
  method: 'POST',
  path: '/dashboard/api/session',
  body: z.object({
    email: emailAddress,
    password: z.string().min(1).max(256).describe('Password of the account'),
    workspace_id: uuid
      .optional()
      .describe(
        'Workspace to select. If missing: the only one, otherwise none. Also distinguishes accounts with the same ' +
          'address and password',
      ),
  }),
  status: 201,
  envelope: 'data',
  response: whoAmI,
  cookies: {
    201: SESSION_COOKIE,
    401: 'With `SECOND_FACTOR_REQUIRED`: cookie for `POST /dashboard/api/session/code`',
  },
  errors: ['UNAUTHORIZED', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  example: { email: 'ada@example.com', password: 'correct horse battery staple' },
  summary: 'Sign in',
  description:
    `${COOKIE} The response is the same for an unknown address and a wrong password. After five wrong passwords from ` +
    'the same network the next attempt is delayed, by 1 s doubling to 15 minutes, except in a browser that has ' +
    'signed in to the account before. With a second factor the response is `401 SECOND_FACTOR_REQUIRED` and sets a ' +
    'cookie for `POST /dashboard/api/session/code`. `Idempotency-Key` is not supported: each sign-in creates its ' +
    'own session.',
});

export const finishSignIn = defineEndpoint({
  ...route,
  access: 'open',
  id: 'finishSignIn',
  method: 'POST',
  path: '/dashboard/api/session/code',
  body: z.object({ code: secondFactorCode }),
  status: 201,
  envelope: 'data',
  response: whoAmI,
  cookies: { 201: `${SESSION_COOKIE}; removes that of the first step` },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  example: { code: '287082' },
  summary: 'Sign in: second step',
  description:
    'Follows `401 SECOND_FACTOR_REQUIRED` within five minutes, with the cookie of that response. A code is valid ' +
    'once. Wrong codes delay the next attempt like wrong passwords, for the whole account, or separately for a ' +
    'browser that has signed in to it before. `Idempotency-Key` is not supported.',
});

export const getSession = defineEndpoint({
  ...route,
  id: 'getSession',
  method: 'GET',
  path: '/dashboard/api/session',
  status: 200,
  envelope: 'data',
  response: whoAmI,
  errors: [],
  summary: 'Get the current session',
  description: 'The account, the selected workspace and all others, and the `csrf_token` of the session.',
});

export const pickWorkspace = defineEndpoint({
  ...route,
  id: 'pickWorkspace',
  method: 'PUT',
  path: '/dashboard/api/session',
  body: z.object({ workspace_id: uuid.describe('A workspace that the person is a member of') }),
  status: 200,
  envelope: 'data',
  response: whoAmI,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  example: { workspace_id: '0197a000-0000-7000-8000-000000000000' },
  summary: 'Select the workspace of this session',
  description:
    'Takes effect on every replica within a second. `NOT_FOUND` if the person is not a member of the workspace. A page ' +
    'that sends the workspace it shows as `x-workspace-id` gets `409 CONFLICT` as soon as another one is selected.',
});

export const signOut = defineEndpoint({
  ...route,
  id: 'signOut',
  method: 'DELETE',
  path: '/dashboard/api/session',
  status: 204,
  envelope: 'none',
  cookies: { 204: 'Removes the cookie of the session' },
  errors: ['FORBIDDEN'],
  summary: 'Sign out',
  description: 'The session is rejected on every replica within a second.',
});

export const listSessions = defineEndpoint({
  ...route,
  id: 'listSessions',
  method: 'GET',
  path: '/dashboard/api/sessions',
  status: 200,
  envelope: 'data',
  response: z.array(dashboardSession),
  errors: [],
  summary: 'List your sessions, newest first',
  description: 'Active sessions in all workspaces.',
});

export const revokeSession = defineEndpoint({
  ...route,
  id: 'revokeSession',
  method: 'DELETE',
  path: '/dashboard/api/sessions/:id',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'FORBIDDEN'],
  summary: 'End one of your sessions',
  description: 'The session is rejected on every replica within a second.',
});

export const changePassword = defineEndpoint({
  ...route,
  id: 'changePassword',
  method: 'PUT',
  path: '/dashboard/api/password',
  body: z.object({
    current_password: z.string().min(1).max(256).describe('Current password'),
    new_password: newPassword,
  }),
  status: 204,
  envelope: 'none',
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  example: { current_password: 'correct horse battery staple', new_password: 'another one that is long' },
  summary: 'Change your password',
  description:
    'Ends all your other sessions. `FORBIDDEN` if `current_password` is wrong, which delays further attempts of ' +
    'this session only. Limited to bursts of five changes, and one more every 12 minutes.',
});
