import * as contract from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import * as keys from '../../domain/workspaces/administer-keys.ts';
import { changerOf, type DashboardDeps } from './deps.ts';

export function mountKeys(app: App, deps: DashboardDeps): void {
  const store = deps.workspaces;

  mount(app, contract.listKeys, ({ auth, query }) => keys.listKeys({ store }, auth.workspaceId, query));

  mount(app, contract.createKey, ({ req, auth, body, idempotency }) => {
    const { name, type, expires_at } = body;
    const input = {
      workspaceId: auth.workspaceId,
      name,
      type,
      expiresAt: expires_at ? new Date(expires_at) : null,
    };
    return keys.createKey({ store, clock: deps.clock }, input, changerOf(req, auth).by, idempotency);
  });

  mount(app, contract.revokeKey, ({ req, auth, params }) =>
    keys.revokeKey({ store }, { id: params.id, ...changerOf(req, auth) }),
  );
}
