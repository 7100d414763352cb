import {
  createCustomTool as createCustomEndpoint,
  getTool as getEndpoint,
  listTools as listEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { createCustomTool, type ToolDeps } from '../domain/tools/create-custom-tool.ts';
import { getTool } from '../domain/tools/get-tool.ts';
import { listTools } from '../domain/tools/list-tools.ts';

export function mountTools(app: App, deps: ToolDeps): void {
  mount(app, createCustomEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    createCustomTool(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, body }) => listTools(deps, auth.workspaceId, body));
  mount(app, getEndpoint, ({ auth, params }) => getTool(deps, auth.workspaceId, params.id));
}
