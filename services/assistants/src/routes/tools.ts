import {
  createCustomTool as createCustomEndpoint,
  createNativeTool as createNativeEndpoint,
  deleteTool as deleteEndpoint,
  getTool as getEndpoint,
  listTools as listEndpoint,
  updateCustomTool as updateCustomEndpoint,
  updateNativeTool as updateNativeEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { createCustomTool } from '../domain/tools/create-custom-tool.ts';
import { createNativeTool } from '../domain/tools/create-native-tool.ts';
import { deleteTool } from '../domain/tools/delete-tool.ts';
import type { ToolDeps } from '../domain/tools/deps.ts';
import { getTool } from '../domain/tools/get-tool.ts';
import { listTools } from '../domain/tools/list-tools.ts';
import { updateCustomTool } from '../domain/tools/update-custom-tool.ts';
import { updateNativeTool } from '../domain/tools/update-native-tool.ts';

export function mountTools(app: App, deps: ToolDeps): void {
  mount(app, createCustomEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    createCustomTool(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, updateCustomEndpoint, ({ auth: { workspaceId }, params: { id }, requestId, body }) =>
    updateCustomTool(deps, { workspaceId, id, requestId }, body),
  );
  mount(app, createNativeEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    createNativeTool(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, updateNativeEndpoint, ({ auth: { workspaceId }, params: { id }, requestId, body }) =>
    updateNativeTool(deps, { workspaceId, id, requestId }, body),
  );
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, params: { id }, requestId }) =>
    deleteTool(deps, { workspaceId, id, requestId }),
  );
  mount(app, getEndpoint, ({ auth, params }) => getTool(deps, auth.workspaceId, params.id));
  mount(app, listEndpoint, ({ auth, body }) => listTools(deps, auth.workspaceId, body));
}
