import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { dashboardSession, emailAddress, newPassword, whoAmI } from '../shapes/dashboard.ts';
import { idParams, uuid } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard' } as const;

const COOKIE =
  'The answer sets a cookie (httpOnly, SameSite=Strict, Secure behind https) that counts wherever a private key does (but for ' +
  '`POST /widget/call`, which takes keys alone), with `csrf_token` as `x-csrf-token` on every request that is no GET. ';

export const signIn = defineEndpoint({
  ...route,
  access: 'open',
  id: 'signIn',
  method: 'POST',
  path: '/dashboard/api/session',
  body: z.object({
    email: emailAddress,
    password: z.string().min(1).max(256).describe('Of the account'),
    workspace_id: uuid.optional().describe('Left out: the only one, or none yet'),
  }),
  status: 201,
  envelope: 'data',
  response: whoAmI,
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  example: { email: 'ada@example.com', password: 'correct horse battery staple' },
  summary: 'Sign in',
  description:
    `${COOKIE}An unknown address and a wrong password answer alike. Attempts are limited by address of origin and by ` +
    'account. It honours no `Idempotency-Key`: each sign-in is a session of its own, and its cookie is stored nowhere.',
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
  summary: 'Who is signed in, and where',
  description: 'The person, the picked workspace and all others, and the `csrf_token` of the session.',
});

export const pickWorkspace = defineEndpoint({
  ...route,
  id: 'pickWorkspace',
  method: 'PUT',
  path: '/dashboard/api/session',
  body: z.object({ workspace_id: uuid.describe('One that the person is a member of') }),
  status: 200,
  envelope: 'data',
  response: whoAmI,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  example: { workspace_id: '0197a000-0000-7000-8000-000000000000' },
  summary: 'Pick the workspace that this session works in',
  description:
    'It counts on every replica within a second. 404 for a workspace that the person is no member of.',
});

export const signOut = defineEndpoint({
  ...route,
  id: 'signOut',
  method: 'DELETE',
  path: '/dashboard/api/session',
  status: 204,
  envelope: 'none',
  errors: ['FORBIDDEN'],
  summary: 'Sign out',
  description: 'The session is refused on every replica within a second.',
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
  summary: "The person's own sessions, newest first",
  description: 'Those that have not ended, whichever workspace they work in.',
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
  summary: "End one of the person's own sessions",
  description: 'It is refused on every replica within a second.',
});

export const changePassword = defineEndpoint({
  ...route,
  id: 'changePassword',
  method: 'PUT',
  path: '/dashboard/api/password',
  body: z.object({
    current_password: z.string().min(1).max(256).describe('The one until now'),
    new_password: newPassword,
  }),
  status: 204,
  envelope: 'none',
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  example: { current_password: 'correct horse battery staple', new_password: 'another one that is long' },
  summary: 'Change the own password',
  description: 'All other sessions of the person end. 403 where `current_password` is wrong.',
});
