import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  emailAddress,
  invitation,
  member,
  newPassword,
  role,
  SESSION_COOKIE,
  whoAmI,
} from '../shapes/dashboard.ts';
import { idParams, isoMillis, offsetPage } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard' } as const;

const RULES =
  'Requires the `admin` or `owner` role. You cannot grant a role above your own, or change a member whose role is ' +
  'above your own.';

export const listMembers = defineEndpoint({
  ...route,
  role: 'viewer',
  id: 'listMembers',
  method: 'GET',
  path: '/dashboard/api/members',
  query: z.object(offsetPage()),
  status: 200,
  envelope: 'list',
  response: member,
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'List the members and invitations of the selected workspace',
  description:
    'Oldest first. Invitation tokens are not included. `next_cursor` is the next offset; an offset past the end ' +
    'returns an empty list.',
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
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  idempotent: true,
  example: { email: 'grace@example.com', role: 'developer' },
  summary: 'Invite a person to the selected workspace',
  description:
    `${RULES} Pass the link or the token on to the invited person. If mail is configured, the link is also mailed, ` +
    'and accepting with the mailed link verifies the address. A new invitation replaces the token of the previous ' +
    'one. `CONFLICT` if the person is already a member, or the workspace has 1,000 members and invitations. After 5 mailed ' +
    'invitations of an address in one hour, further ones are created but not mailed; `RATE_LIMITED` after 100 of the workspace.',
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
  description: `${RULES} Takes effect on every replica within a second. \`CONFLICT\` for the last owner.`,
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
  summary: 'Remove a member or revoke an invitation',
  description: `${RULES} Takes effect on every replica within a second. \`CONFLICT\` for the last owner.`,
});

export const leaveWorkspace = defineEndpoint({
  ...route,
  id: 'leaveWorkspace',
  method: 'DELETE',
  path: '/dashboard/api/workspaces/:id/membership',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Leave a workspace',
  description:
    'Ends your membership in this workspace, even if another one is selected. `CONFLICT` for the last owner. An ' +
    'account with an unverified address is deleted with its last membership.',
});

const open = { ...route, access: 'open', method: 'POST', envelope: 'data' } as const;
const token = z.string().min(1).max(200).describe('Invitation token');
const exampleToken = 'Zk9vYmFyQmF6UXV4Q29ycmVjdEhvcnNlQmF0dGVyeQ';

export const readInvitation = defineEndpoint({
  ...open,
  id: 'readInvitation',
  path: '/dashboard/api/invitations/read',
  body: z.object({ token }),
  status: 200,
  readsOnly: true,
  response: z.object({
    email: z.string().describe('E-mail address of the invited person'),
    workspace_name: z.string().describe('Name of the workspace'),
    role,
    expires_at: isoMillis.describe('Expiry of the invitation'),
    has_account: z
      .boolean()
      .describe('Whether an account exists: accepting then requires its password or a session'),
  }),
  errors: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED'],
  example: { token: exampleToken },
  summary: 'Get an invitation by its token',
  description: '`NOT_FOUND` if the token is unknown, used, replaced or expired.',
});

export const acceptInvitation = defineEndpoint({
  ...open,
  id: 'acceptInvitation',
  path: '/dashboard/api/invitations/accept',
  body: z.object({
    token,
    password: newPassword.optional().describe('12-256 characters. Optional with a session of the account'),
  }),
  example: { token: exampleToken, password: 'correct horse battery staple' },
  status: 201,
  response: whoAmI,
  cookies: { 201: SESSION_COOKIE },
  errors: ['NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
  summary: 'Accept an invitation and sign in',
  description:
    'Without an existing account, `password` sets the password of a new account in this workspace. If the address ' +
    'belongs to an account that has verified it, that account joins, and its password (or its session in this ' +
    'browser) is required, so that an invitation cannot take over an account. Unverified accounts of other ' +
    'workspaces with the same address are not affected. The token is valid once. `Idempotency-Key` is not ' +
    'supported, because the response starts a session.',
});
