import {
  getDraftSnapshot as draftEndpoint,
  getAssistantBriefs,
  getAssistantSnapshot,
  getAssistantWebhookSecrets,
  rebuildNumberLinks as rebuildEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Numbers } from '../clients/telephony.ts';
import type { NumberLinks } from '../numbers/number-links.store.ts';
import { rebuildNumberLinks } from '../numbers/rebuild-number-links.ts';
import { getDraftSnapshot } from './get-draft-snapshot.ts';
import { getSnapshot, getWebhookSecrets, type SnapshotDeps } from './get-snapshot.ts';
import type { AssistantDeps } from './lock-assistant.ts';

type InternalDeps = SnapshotDeps & AssistantDeps & { numberLinks: NumberLinks; numbers: Numbers };

export function mountInternal(app: App, deps: InternalDeps): void {
  mount(app, getAssistantBriefs, ({ auth, body }) =>
    deps.assistants.findBriefs(auth.workspaceId, body.agent_ids),
  );
  mount(app, getAssistantSnapshot, ({ auth, params, query }) =>
    getSnapshot(deps, { workspaceId: auth.workspaceId, id: params.id, query }),
  );
  mount(app, draftEndpoint, ({ auth, body }) => getDraftSnapshot(deps, auth.workspaceId, body));
  mount(app, getAssistantWebhookSecrets, ({ auth, body }) =>
    getWebhookSecrets(deps, auth.workspaceId, body.agent_ids),
  );
  mount(app, rebuildEndpoint, ({ body }) => rebuildNumberLinks(deps, body.after));
}
