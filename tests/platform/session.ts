import type { AnyEndpoint } from '@parley/contracts';
import type { Platform } from '@parley/testkit/stage';

const PASSWORD = 'correct horse battery staple';

/** What a browser sends with each request of a signed-in person. */
export type SessionHeaders = { cookie: string; 'x-csrf-token': string };

/** A person of the workspace, who has accepted the operator's invitation. */
export async function signInAs(platform: Platform, role: string, email: string): Promise<SessionHeaders> {
  const { workspace_id } = platform.workspace;
  const args = ['--workspace', workspace_id, '--email', email, '--role', role];
  const invited = (await platform.parley('member', 'add', ...args)) as { invitation_token: string };
  const response = await fetch(`${platform.url}/dashboard/api/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: invited.invitation_token, password: PASSWORD }),
  });
  const { data } = (await response.json()) as { data: { csrf_token: string } };
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': data.csrf_token };
}

/** The caller of an endpoint: the workspace's private key, or a session if the endpoint requires a person. */
export function credentials(
  { access }: AnyEndpoint,
  { workspace }: Platform,
  session: SessionHeaders,
): Record<string, string> {
  // A key takes precedence over a session, so session requests send no key.
  return access === 'session'
    ? { ...session, authorization: '' }
    : { authorization: `Bearer ${workspace.private_key}` };
}
