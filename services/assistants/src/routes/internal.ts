import {
  getAssistantBriefs,
  getAssistantSnapshot,
  rebuildNumberLinks as rebuildEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { getSnapshot, type SnapshotDeps } from '../domain/assistants/get-snapshot.ts';
import type { NumberLinks, Numbers } from '../domain/numbers/ports.ts';
import { rebuildNumberLinks } from '../domain/numbers/rebuild-number-links.ts';

type InternalDeps = SnapshotDeps & { numberLinks: NumberLinks; numbers: Numbers };

export function mountInternal(app: App, deps: InternalDeps): void {
  mount(app, getAssistantBriefs, ({ auth, body }) =>
    deps.assistants.findBriefs(auth.workspaceId, body.agent_ids),
  );
  mount(app, getAssistantSnapshot, ({ auth, params, query }) =>
    getSnapshot(deps, { workspaceId: auth.workspaceId, id: params.id, query }),
  );
  mount(app, rebuildEndpoint, ({ body }) => rebuildNumberLinks(deps, body.after));
}
