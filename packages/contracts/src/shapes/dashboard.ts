import { z } from 'zod';
import { ROLES } from '../roles.ts';
import { isoMillis, queryInt, uuid } from './primitives.ts';

export const role = z.enum(ROLES).describe('What the person may do; `viewer` reads only');

/** An address to sign in with; kept in lower case. */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, { error: 'must be an e-mail address' })
  .describe('An e-mail address; upper and lower case are the same');

/** A password to be: long enough to be worth guessing at, short enough to be hashed. */
export const newPassword = z.string().min(12).max(256).describe('12-256 characters, whichever');

export const offsetPage = z.object({
  limit: queryInt(1, 100, 50).describe('Items at once'),
  offset: queryInt(0, 2_147_483_647, 0).describe('How many to skip: `next_cursor` of the last page'),
});

const at = (what: string) => isoMillis.describe(what);
const somebody = (what: string) =>
  z.string().nullable().describe(`${what}: an e-mail address, or \`operator\``);

const membership = z.object({
  workspace_id: uuid.describe('The workspace'),
  workspace_name: z.string().describe('Its name'),
  role,
});

export const whoAmI = z.object({
  session_id: uuid.describe('This session, as in the list of sessions'),
  person: z
    .object({ id: uuid.describe('The account'), email: z.string().describe('What it signs in with') })
    .describe('Who is signed in'),
  workspace: membership
    .nullable()
    .describe('Where requests of this session go; null until one of several is picked'),
  workspaces: z.array(membership).describe('All that the person is a member of'),
  csrf_token: z
    .string()
    .describe('To be sent as `x-csrf-token` with every request of the session that is no GET'),
  expires_at: at('The session ends then at the latest, and earlier when it is not used'),
});

export const dashboardSession = z.object({
  id: uuid.describe('The session'),
  is_current: z.boolean().describe('Whether it is the asking one'),
  address: z.string().describe('Where it was begun from'),
  user_agent: z.string().describe('By which browser'),
  created_at: at('When the person signed in'),
  last_seen_at: at('When it was last used, within seconds'),
  expires_at: at('When it ends at the latest'),
});

export const member = z.object({
  id: uuid.describe('The membership'),
  email: z.string().describe('Of the person, in lower case'),
  role,
  status: z.enum(['active', 'invited']).describe('`invited` until the invitation is accepted'),
  invitation_expires_at: isoMillis.nullable().describe('Null for who is here'),
  invited_by: somebody('Who invited'),
  created_at: at('When the person was first invited'),
});

/** No e-mail is sent: whoever invites hands the token on. It is shown once. */
export const invitation = member.extend({
  invitation_token: z.string().describe('Shown once; opens the workspace to whoever has it, once'),
  invitation_url: z.string().describe('The page of the dashboard that takes the token, behind its `#`'),
});

const keyName = z.string().describe('What people know it by');
const keyType = z
  .enum(['private', 'public'])
  .describe('A private key acts as the owner of the workspace; a public one serves the browser widget alone');

export const newKey = z.object({
  name: keyName.trim().min(1).max(255).describe('What people know it by'),
  type: keyType,
});

export const apiKey = z.object({
  id: uuid.describe('The key, as it is listed and revoked'),
  name: keyName,
  type: keyType,
  masked_key: z.string().describe('What may be shown of it, such as `svc_AbCdEfGh…`'),
  is_active: z.boolean().describe('False once it is revoked'),
  expires_at: isoMillis.nullable().describe('Null: never'),
  last_used_at: isoMillis.nullable().describe('Within seconds; null: never'),
  created_at: at('When it was made'),
  created_by: somebody('Who made it'),
  revoked_at: isoMillis.nullable().describe('Null while it is active'),
  revoked_by: somebody('Who revoked it'),
});
