import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  emailAddress,
  invitation,
  member,
  newPassword,
  offsetPage,
  role,
  whoAmI,
} from '../shapes/dashboard.ts';
import { idParams, isoMillis } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard' } as const;

const RULES =
  'Takes an admin or an owner. Nobody gives a role above their own or touches somebody who has one, so that nobody raises ' +
  'themselves and an admin makes no owners.';

export const listMembers = defineEndpoint({
  ...route,
  role: 'viewer',
  id: 'listMembers',
  method: 'GET',
  path: '/dashboard/api/members',
  query: offsetPage,
  status: 200,
  envelope: 'list',
  response: member,
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'The members of the picked workspace, and who is invited',
  description:
    'The oldest first; never the tokens of invitations. `next_cursor` is the next offset; an offset past the end gives an empty ' +
    'list.',
});

export const inviteMember = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'inviteMember',
  method: 'POST',
  path: '/dashboard/api/members',
  body: z.object({ email: emailAddress, role }),
  status: 201,
  envelope: 'data',
  response: invitation,
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  idempotent: true,
  example: { email: 'grace@example.com', role: 'developer' },
  summary: 'Invite somebody into the picked workspace',
  description:
    `${RULES} No e-mail is sent: hand the link or the token on. Inviting again makes a new token, and the old one opens ` +
    'nothing any more; 409 for somebody who is a member already.',
});

export const changeMember = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'changeMember',
  method: 'PATCH',
  path: '/dashboard/api/members/:id',
  params: idParams,
  body: z.object({ role }),
  status: 200,
  envelope: 'data',
  response: member,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  example: { role: 'admin' },
  summary: "Change a member's role",
  description: `${RULES} It counts on every replica within a second. 409 for the last owner.`,
});

export const removeMember = defineEndpoint({
  ...route,
  role: 'admin',
  id: 'removeMember',
  method: 'DELETE',
  path: '/dashboard/api/members/:id',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Remove a member, or take an invitation back',
  description: `${RULES} It counts on every replica within a second. 409 for the last owner.`,
});

const open = { ...route, access: 'open', method: 'POST', envelope: 'data' } as const;
const token = z.string().min(1).max(200).describe('Of the invitation');
const exampleToken = 'Zk9vYmFyQmF6UXV4Q29ycmVjdEhvcnNlQmF0dGVyeQ';

export const readInvitation = defineEndpoint({
  ...open,
  id: 'readInvitation',
  path: '/dashboard/api/invitations/read',
  body: z.object({ token }),
  status: 200,
  readsOnly: true,
  response: z.object({
    email: z.string().describe('Who is invited'),
    workspace_name: z.string().describe('Into which workspace'),
    role,
    expires_at: isoMillis.describe('Until when it can be accepted'),
    has_account: z.boolean().describe('The address signs in elsewhere already: its password is asked for'),
  }),
  errors: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED'],
  example: { token: exampleToken },
  summary: 'What an invitation is for',
  description: 'Shows a person what to accept. 404 for a token that is unknown, used, replaced or expired.',
});

export const acceptInvitation = defineEndpoint({
  ...open,
  id: 'acceptInvitation',
  path: '/dashboard/api/invitations/accept',
  body: z.object({ token, password: newPassword }),
  example: { token: exampleToken, password: 'correct horse battery staple' },
  status: 201,
  response: whoAmI,
  errors: ['NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
  summary: 'Accept an invitation, and sign in',
  description:
    '`password` becomes the one of a new account; where the address has an account it must be the one of that, so that no ' +
    'invitation takes an account over. The token opens once: the request honours no `Idempotency-Key`, since it answers ' +
    'with a session.',
});
