import { getAssistantBriefs, getAssistantSnapshot } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { getSnapshot, type SnapshotDeps } from '../domain/assistants/get-snapshot.ts';

export function mountInternal(app: App, deps: SnapshotDeps): void {
  mount(app, getAssistantBriefs, ({ auth, body }) =>
    deps.assistants.findBriefs(auth.workspaceId, body.agent_ids),
  );
  mount(app, getAssistantSnapshot, ({ auth, params, query }) =>
    getSnapshot(deps, { workspaceId: auth.workspaceId, id: params.id, query }),
  );
}
