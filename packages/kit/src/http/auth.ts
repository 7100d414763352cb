/** Who is behind a request, as the gateway or another service vouches for it in the internal token. */
export type Actor = {
  /** `key` and `public_key`: an API key; `member`: a person of the workspace; `service`: the platform itself. */
  kind: 'key' | 'public_key' | 'member' | 'service';
  id: string;
  /** Of a member: what it may do (D2.3). */
  role?: 'owner' | 'admin' | 'developer' | 'viewer';
};

/** What a handler knows about the asker: every query of a use case is held to this workspace. */
export type Auth = { workspaceId: string; actor: Actor };

/** The workspace of a question between services that concerns none or all of them: no row has it. */
export const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';
