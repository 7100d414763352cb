import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { SESSION_COOKIE, whoAmI } from '../shapes/dashboard.ts';

export const signInByLink = defineEndpoint({
  service: 'gateway',
  access: 'open',
  tag: 'Dashboard',
  id: 'signInByLink',
  method: 'POST',
  path: '/dashboard/api/session/link',
  body: z.object({ token: z.string().min(1).max(200).describe('Token of the link, the part after `#`') }),
  status: 201,
  envelope: 'data',
  response: whoAmI,
  cookies: {
    201: SESSION_COOKIE,
    401: 'With `SECOND_FACTOR_REQUIRED`: cookie for `POST /dashboard/api/session/code`',
  },
  errors: ['NOT_FOUND', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  example: { token: 'Zk9vYmFyQmF6UXV4Q29ycmVjdEhvcnNlQmF0dGVyeQ' },
  summary: 'Sign in with a one-time link',
  description:
    'The link is created by the operator (`parley dashboard link`), is valid once, for an hour, and only for a member ' +
    'of its workspace, which the session begins in. With a second factor the response is `401 ' +
    'SECOND_FACTOR_REQUIRED` as after a password, and the link is used up. `NOT_FOUND` if it is unknown, used or ' +
    'expired. `Idempotency-Key` is not supported.',
});
