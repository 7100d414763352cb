import {
  createCustomTool as createCustomEndpoint,
  createNativeTool as createNativeEndpoint,
  deleteTool as deleteEndpoint,
  getTool as getEndpoint,
  listWorkspaceTools as listAllEndpoint,
  listTools as listEndpoint,
  updateCustomTool as updateCustomEndpoint,
  updateNativeTool as updateNativeEndpoint,
} from '@parley/contracts';
import { type App, mount, requireAgent } from '@parley/kit/http';
import { createCustomTool } from './create-custom-tool.ts';
import { createNativeTool } from './create-native-tool.ts';
import { deleteTool } from './delete-tool.ts';
import type { ToolDeps } from './lock-tool.ts';
import { getTool, listTools, listWorkspaceTools } from './read-tools.ts';
import { updateCustomTool } from './update-custom-tool.ts';
import { updateNativeTool } from './update-native-tool.ts';

export function mountTools(app: App, deps: ToolDeps): void {
  mount(app, createCustomEndpoint, ({ auth, by, requestId, idempotency, body }) => {
    requireAgent(auth, body.agent_id);
    return createCustomTool(deps, { workspaceId: auth.workspaceId, requestId, by, idempotency }, body);
  });
  mount(app, updateCustomEndpoint, ({ auth: { workspaceId }, by, params: { id }, requestId, body }) =>
    updateCustomTool(deps, { workspaceId, id, requestId, by }, body),
  );
  mount(app, createNativeEndpoint, ({ auth, by, requestId, idempotency, body }) => {
    requireAgent(auth, body.agent_id);
    return createNativeTool(deps, { workspaceId: auth.workspaceId, requestId, by, idempotency }, body);
  });
  mount(app, updateNativeEndpoint, ({ auth: { workspaceId }, by, params: { id }, requestId, body }) =>
    updateNativeTool(deps, { workspaceId, id, requestId, by }, body),
  );
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, by, params: { id }, requestId }) =>
    deleteTool(deps, { workspaceId, id, requestId, by }),
  );
  mount(app, getEndpoint, ({ auth, params }) => getTool(deps, auth.workspaceId, params.id));
  mount(app, listEndpoint, ({ auth, body }) => {
    requireAgent(auth, body.agent_id);
    return listTools(deps, auth.workspaceId, body);
  });
  mount(app, listAllEndpoint, ({ auth, query }) => listWorkspaceTools(deps, auth.workspaceId, query));
}
