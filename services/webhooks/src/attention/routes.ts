import { attentionOf } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type AttentionDeps, findAttention } from './find-attention.ts';

export function mountAttention(app: App, deps: AttentionDeps): void {
  mount(app, attentionOf('webhooks'), async ({ auth }) => ({
    items: await findAttention(deps, auth.workspaceId),
  }));
}
