import * as contract from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { changerOf, type DashboardDeps } from '../sessions/dashboard.ts';
import * as keys from './manage-keys.ts';

export function mountKeys(app: App, deps: DashboardDeps): void {
  const { clock, keyDefaults, assistants, workspaces: store } = deps;
  const keyDeps = { store, clock, keyDefaults, assistants };

  mount(app, contract.listKeys, ({ auth, query }) => keys.listKeys(keyDeps, auth.workspaceId, query));

  mount(app, contract.getKey, ({ auth, params }) => keys.getKey(keyDeps, params.id, auth.workspaceId));

  mount(app, contract.createKey, ({ req, auth, body, idempotency }) => {
    const { name, type, expires_at, ...settings } = body;
    const input = {
      workspaceId: auth.workspaceId,
      name,
      type,
      expiresAt: expires_at ? new Date(expires_at) : null,
      settings,
    };
    return keys.createKey(keyDeps, input, changerOf(req, auth).by, idempotency);
  });

  mount(app, contract.changeKey, ({ req, auth, params, body: { name, ...settings } }) => {
    const change = { ...(name === undefined ? {} : { name }), settings };
    return keys.changeKey(keyDeps, { id: params.id, ...changerOf(req, auth), ...change });
  });

  mount(app, contract.revokeKey, ({ req, auth, params }) =>
    keys.revokeKey(keyDeps, { id: params.id, ...changerOf(req, auth) }),
  );
}
