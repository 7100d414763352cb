/** The limits of an API key [trust.9]; a missing member is no limit. */
export type KeyScope = {
  /** It may only read. */
  readOnly?: boolean;
  /** The ids of the assistants that it may use, in lower case. */
  agentIds?: string[];
  /** For public keys: the limits of their web calls. */
  webCalls?: {
    maxLiveCalls: number;
    maxDurationSeconds: number;
    /** The dynamic variables that a page may set. */
    variables?: string[];
  };
};

/** The principal of a request, as the internal token names it. */
export type Actor = {
  /** `key` and `public_key`: an API key; `member`: a signed-in person; `service`: a service of the platform; `operator`: the operator's CLI. */
  kind: 'key' | 'public_key' | 'member' | 'service' | 'operator';
  id: string;
  /** E-mail address of a member, for the audit log. */
  email?: string;
  /** Role of a member. */
  role?: 'owner' | 'admin' | 'developer' | 'viewer';
  /** Limits of a key. */
  scope?: KeyScope;
};

/** The authenticated caller. Every query of a use case is restricted to this workspace. */
export type Auth = {
  workspaceId: string;
  actor: Actor;
  /** The client's IP address, by `TRUSTED_PROXIES`; for the audit log. */
  address?: string;
};

/** The author of a change and its request, for `recordAudit` of kit/audit. */
export type ChangedBy = Auth & { requestId?: string };

/** The workspace id of internal calls that concern no single workspace; no row has it. */
export const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';
