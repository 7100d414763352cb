import { getAttention as endpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type AttentionDeps, getAttention } from './get-attention.ts';

export function mountAttention(app: App, deps: AttentionDeps): void {
  mount(app, endpoint, ({ auth, requestId }) =>
    getAttention(deps, { workspaceId: auth.workspaceId, requestId }),
  );
}
