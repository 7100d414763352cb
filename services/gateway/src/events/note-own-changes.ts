import type { ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import type { NoteChange } from '@parley/kit/amqp';
import { type Auth, NO_WORKSPACE } from '@parley/kit/http';
import { type Clock, toIsoMillis } from '@parley/kit/time';

type Deps = { noteChange: NoteChange; clock: Clock };

/** Notes for pages that keys, members or settings have changed [dashboard.6]: changes of this service have no message of their own. */
export function noteWorkspaceChange({ noteChange, clock }: Deps, workspaceId: string): void {
  const change = { id: workspaceId, what: 'changed', at: toIsoMillis(clock.now()) };
  noteChange(workspaceId, { type: 'workspace', ...change });
  noteChange(workspaceId, { type: 'audit_log', ...change });
}

/** The same once a request that changes something in a workspace has been answered with success. */
export function noteWhenChanged(
  deps: Deps,
  res: ServerResponse,
  { endpoint, auth }: { endpoint: AnyEndpoint; auth: Auth },
): void {
  const isRead = endpoint.method === 'GET' || endpoint.readsOnly === true;
  const isPersonal = endpoint.access === 'session' && endpoint.role === undefined;
  if (isRead || isPersonal || auth.workspaceId === NO_WORKSPACE) return;
  res.once('finish', () => {
    if (res.statusCode < 300) noteWorkspaceChange(deps, auth.workspaceId);
  });
}
