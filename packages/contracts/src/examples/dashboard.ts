import { listAuditLog } from '../endpoints/audit-log.ts';
import { changeKey, createKey, getKey, listKeys, revokeKey } from '../endpoints/dashboard-keys.ts';
import { signInByLink } from '../endpoints/dashboard-link.ts';
import {
  acceptInvitation,
  changeMember,
  inviteMember,
  listMembers,
  readInvitation,
} from '../endpoints/dashboard-members.ts';
import {
  beginSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
} from '../endpoints/dashboard-second-factor.ts';
import {
  finishSignIn,
  getSession,
  listSessions,
  pickWorkspace,
  signIn,
} from '../endpoints/dashboard-sessions.ts';
import { getSignInMethods } from '../endpoints/dashboard-sso.ts';
import { getWorkspace, rotateWebhookSecret, updateWorkspace } from '../endpoints/dashboard-workspace.ts';
import { createErasure, getErasure, listErasures } from '../endpoints/erasure.ts';
import { example } from './example.ts';
import { IDS } from './story.ts';

const TIME = '2026-03-14T09:02:44.318Z';
const LATER = '2026-03-21T09:02:44.318Z';
const membership = { workspace_id: IDS.workspace, workspace_name: 'Hopper Dental', role: 'owner' as const };

const session = {
  session_id: '0197f3d2-90b7-7a1c-b3e5-6c2d8f4a1e20',
  person: { id: IDS.person, email: 'ada@example.com', is_address_proved: true },
  workspace: membership,
  workspaces: [membership],
  signed_in_by: 'password' as const,
  csrf_token: 'Zm9yIG9uZSBzZXNzaW9u',
  expires_at: LATER,
};

const member = {
  id: IDS.person,
  email: 'grace@example.com',
  role: 'developer' as const,
  status: 'active' as const,
  invitation_expires_at: null,
  invited_by: 'ada@example.com',
  created_at: TIME,
};

const key = {
  id: '0197f3d4-37fe-7b60-8c49-d5a0e1b76f30',
  name: 'Scheduler',
  type: 'private' as const,
  masked_key: 'svc_5mY0rQeW…',
  is_active: true,
  expires_at: null,
  last_used_at: null,
  created_at: TIME,
  created_by: 'ada@example.com',
  revoked_at: null,
  revoked_by: null,
  agent_ids: null,
  allowed_origins: null,
  calls_per_minute: null,
  calls_per_minute_per_address: null,
  max_live_calls: null,
  max_call_duration: null,
  variables: null,
  read_only: false,
  allowed_networks: null,
};

const publicKey = {
  ...key,
  name: 'Website',
  type: 'public' as const,
  masked_key: 'svc_pub_8kTn3bLc…',
  agent_ids: [IDS.assistant],
  allowed_origins: ['https://shop.example.com'],
  calls_per_minute: 30,
  calls_per_minute_per_address: 20,
  max_live_calls: 10,
  max_call_duration: 900,
  variables: ['contact_name'],
};

const workspace = {
  workspace_id: IDS.workspace,
  name: 'Hopper Dental',
  created_at: TIME,
  time_zone: 'America/Los_Angeles',
  currency: 'USD',
  suspended_at: null,
  rate_cents: 10,
  max_live_calls: 100,
  requests_per_minute: 600,
  allowed_destinations: ['+49', '+43'],
  daily_spend_limit_cents: 5_000,
  retain_calls_days: 365,
  retain_recordings_days: 90,
  retain_attempts_days: null,
  retain_contacts_days: null,
  old_webhook_secret_expires_at: null,
};

const erasure = {
  id: '0197f3d6-5b20-7c83-9f17-a2e4c0d81b40',
  status: 'queued' as const,
  number_ending: '99',
  keep_do_not_call: true,
  waiting_for: null,
  receipt: [],
  requested_by: 'ada@example.com',
  created_at: TIME,
  completed_at: null,
};
const erased = {
  ...erasure,
  status: 'completed' as const,
  receipt: [
    {
      service: 'telephony' as const,
      status: 'completed' as const,
      removed: [{ place: 'calls', count: 2 }],
      kept: [{ place: 'do_not_call', count: 1, reason: 'keep_do_not_call' }],
    },
  ],
  completed_at: '2026-03-14T09:02:49.901Z',
};

const recoveryCodes = { recovery_codes: ['k7fq-2m9x-wd4t', 'p3hz-8vnc-r6ja'] };

export const dashboardExamples = [
  example(signIn, session),
  example(finishSignIn, { ...session, signed_in_by: 'second_factor' }),
  example(signInByLink, { ...session, signed_in_by: 'link' }),
  example(getSession, session),
  example(pickWorkspace, session),
  example(acceptInvitation, session),
  example(listSessions, [
    {
      id: session.session_id,
      is_current: true,
      address: '203.0.113.7',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
      created_at: TIME,
      last_seen_at: TIME,
      expires_at: LATER,
    },
  ]),
  example(getSignInMethods, { password: true, sso: false, mail: true }),
  example(beginSecondFactor, {
    secret: 'ABCD2345ABCD2345',
    otpauth_uri: 'otpauth://totp/Parley:ada@example.com?secret=ABCD2345ABCD2345&issuer=Parley',
  }),
  example(enableSecondFactor, recoveryCodes),
  example(renewRecoveryCodes, recoveryCodes),
  example(getSecondFactor, { is_enabled: true, enabled_at: TIME, recovery_codes_left: 10 }),
  example(listMembers, member),
  example(changeMember, { ...member, role: 'admin' }),
  example(inviteMember, {
    ...member,
    status: 'invited',
    invitation_expires_at: LATER,
    invitation_token: 'c2Vjcmv0LW9mLXRoZS1pbnZpdGF0aW9u',
    invitation_url: 'https://parley.example.com/dashboard/invitation#c2Vjcmv0LW9mLXRoZS1pbnZpdGF0aW9u',
  }),
  example(readInvitation, {
    email: member.email,
    workspace_name: workspace.name,
    role: member.role,
    expires_at: LATER,
    has_account: false,
  }),
  example(createKey, { ...key, key: 'svc_5mY0rQeW2bZk7tHc1vXn9f3c' }),
  example(listKeys, key),
  example(getKey, key),
  example(changeKey, publicKey),
  example(revokeKey, { ...key, is_active: false, revoked_at: TIME, revoked_by: 'ada@example.com' }),
  example(getWorkspace, workspace),
  example(updateWorkspace, workspace),
  example(rotateWebhookSecret, {
    webhook_secret: 'whsec_bm90LWEtc2VjcmV0LW9mLWFueW9uZS0h',
    old_secret_expires_at: '2026-03-15T09:02:44.318Z',
  }),
  example(listAuditLog, {
    id: '0197f3d8-1d94-7e27-a7c6-b0f5d3e92c50',
    at: TIME,
    action: 'key.created',
    actor: { kind: 'member', id: IDS.person, name: 'ada@example.com' },
    address: '203.0.113.7',
    request_id: 'b6f0c2d4',
    target: { type: 'key', id: key.id, name: key.name },
    changes: { name: { to: 'Scheduler' } },
  }),
  example(createErasure, erasure),
  example(getErasure, erased),
  example(listErasures, erased),
];
