import { z } from 'zod';
import { ROLES } from '../roles.ts';
import { keySettings, someKeySettings } from './key-settings.ts';
import { isoMillis, uuid } from './primitives.ts';

/** What `Set-Cookie` of a sign-in does. */
export const SESSION_COOKIE =
  'Cookie of the session, and one that marks this browser as known to the account';

export const role = z.enum(ROLES).describe('Role in the workspace; `viewer` is read-only');

/** An e-mail address, stored in lower case. */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, { abort: true })
  .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, { error: 'must be an e-mail address' })
  .describe('E-mail address, case-insensitive');

/** A new password. */
export const newPassword = z.string().min(12).max(256).describe('12-256 characters');

/** Password of the signed-in account, for confirmation. */
export const ownPassword = z.string().min(1).max(256).describe('Password of the account');

export const secondFactorCode = z
  .string()
  .trim()
  .min(6)
  .max(20)
  .describe('Six-digit code from the authenticator app, or a recovery code');

const at = (what: string) => isoMillis.describe(what);
const changedBy = (what: string) =>
  z.string().nullable().describe(`${what}: e-mail address, or \`operator\``);

const membership = z.object({
  workspace_id: uuid.describe('Id of the workspace'),
  workspace_name: z.string().describe('Name of the workspace'),
  role,
});

export const whoAmI = z.object({
  session_id: uuid.describe('Id of the session'),
  person: z
    .object({
      id: uuid.describe('Id of the account'),
      email: z.string().describe('E-mail address of the account'),
      is_address_proved: z
        .boolean()
        .describe(
          'Whether the address is verified; an account with an unverified address can belong to one workspace only',
        ),
    })
    .describe('The signed-in person'),
  workspace: membership
    .nullable()
    .describe(
      'The selected workspace, which requests of this session apply to; null until one of several is selected',
    ),
  workspaces: z.array(membership).describe('All workspaces of the person'),
  signed_in_by: z
    .enum(['password', 'second_factor', 'sso', 'link'])
    .describe(
      "How the person signed in; `second_factor`: password and code; `link`: the operator's one-time link",
    ),
  csrf_token: z
    .string()
    .describe('Send it as `x-csrf-token` with every request of the session other than GET'),
  expires_at: at('Latest end of the session; it ends earlier if it is not used'),
});

export const dashboardSession = z.object({
  id: uuid.describe('Id of the session'),
  is_current: z.boolean().describe('Whether it is the session of this request'),
  address: z.string().describe('IP address at sign-in'),
  user_agent: z.string().describe('Browser at sign-in'),
  created_at: at('Time of sign-in'),
  last_seen_at: at('Time of last use, accurate to seconds'),
  expires_at: at('Latest end of the session'),
});

export const member = z.object({
  id: uuid.describe('Id of the membership'),
  email: z.string().describe('E-mail address, in lower case'),
  role,
  status: z.enum(['active', 'invited']).describe('`invited` until the invitation is accepted'),
  invitation_expires_at: isoMillis.nullable().describe('Expiry of the invitation; null for active members'),
  invited_by: changedBy('Who sent the invitation'),
  created_at: at('Time of the first invitation'),
});

/** An invitation with its token, which is only returned once. */
export const invitation = member.extend({
  invitation_token: z
    .string()
    .describe('Token for accepting the invitation; valid once and only returned once'),
  invitation_url: z
    .string()
    .describe('Dashboard page for accepting the invitation, with the token after `#`'),
});

const keyName = z.string().describe('Display name');
const keyType = z
  .enum(['private', 'public'])
  .describe('`private`: has the permissions of an owner; `public`: browser widget only');

export const newKey = z.object({
  name: keyName.trim().min(1).max(255).describe('Display name'),
  type: keyType,
  ...someKeySettings.shape,
});

/** Missing fields stay unchanged; null resets to the default. */
export const changedKey = newKey
  .omit({ type: true })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'at least one field is required',
  });

export const apiKey = z.object({
  id: uuid.describe('Id of the key'),
  name: keyName,
  type: keyType,
  masked_key: z.string().describe('Masked key, such as `svc_AbCdEfGh…`'),
  is_active: z.boolean().describe('False once the key is revoked'),
  expires_at: isoMillis.nullable().describe('Time of expiry; null: never'),
  last_used_at: isoMillis.nullable().describe('Time of last use, accurate to seconds; null: never'),
  created_at: at('Time of creation'),
  created_by: changedBy('Who created it'),
  revoked_at: isoMillis.nullable().describe('Time of revocation; null while it is active'),
  revoked_by: changedBy('Who revoked it'),
  ...keySettings.shape,
});
