import { randomUUID } from 'node:crypto';
import type { PlatformStage } from '@parley/testkit/stage';

/** An admin of the workspace, who has accepted the operator's invitation: the headers of each request. An owner could limit its calls. */
export async function signIn(
  { url, parley }: PlatformStage,
  workspaceId: string,
): Promise<Record<string, string>> {
  const args = ['--workspace', workspaceId, '--email', `${randomUUID()}@example.org`, '--role', 'admin'];
  const { invitation_token: token } = (await parley('member', 'add', ...args)) as {
    invitation_token: string;
  };
  const response = await fetch(`${url}/dashboard/api/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: randomUUID() }),
  });
  const { data } = (await response.json()) as { data: { csrf_token: string } };
  return {
    cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
    'x-csrf-token': data.csrf_token,
  };
}
