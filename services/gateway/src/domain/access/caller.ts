import type { Actor } from '@parley/kit/http';
import type { WorkspaceLimits } from '../limits/request-limits.ts';
import type { Opened } from '../people/sessions.ts';

/** Whoever asks, known by a key or by a session. */
export type Caller = {
  /** `NO_WORKSPACE` in a session that has picked none. */
  workspaceId: string;
  actor: Actor;
  /** Of the workspace; undefined where none is picked. */
  limits: WorkspaceLimits | undefined;
  opened?: Opened;
};
