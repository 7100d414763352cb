import { ROLES, type Role } from '@parley/contracts';
import { type Api, createApi, type Platform, type Workspace } from '@parley/testkit/stage';

export type Person = { email: string; password: string; role: Role };

/** A workspace with a person of each role. */
export type Team = {
  workspace: Workspace;
  /** The public API, with the workspace's private key. */
  api: Api;
  people: Record<Role, Person>;
  invite(role: Role, email?: string): Promise<{ email: string; invitation_token: string }>;
};

const PASSWORD = 'correct horse battery staple';
let made = 0;

export async function createTeam(platform: Platform, name: string): Promise<Team> {
  const workspace = await platform.createWorkspace(name);
  made += 1;
  const number = made;
  const invite: Team['invite'] = async (role, email = `${role}-${number}@example.com`) =>
    (await platform.parley(
      ...['member', 'add', '--workspace', workspace.workspace_id, '--email', email, '--role', role],
    )) as { email: string; invitation_token: string };
  const people = {} as Record<Role, Person>;
  for (const role of ROLES) {
    const { email, invitation_token: token } = await invite(role);
    await acceptInvitation(platform, token, PASSWORD);
    people[role] = { email, password: PASSWORD, role };
  }
  return { workspace, api: createApi(platform.url, workspace.private_key), people, invite };
}

export async function acceptInvitation(platform: Platform, token: string, password: string): Promise<void> {
  const response = await fetch(`${platform.url}/dashboard/api/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  });
  if (response.status !== 201) throw new Error(`invitation: ${response.status} ${await response.text()}`);
}
