import {
  createAssistant as createEndpoint,
  deleteAssistant as deleteEndpoint,
  getAssistant as getEndpoint,
  listAssistants as listEndpoint,
  listVoices as listVoicesEndpoint,
  patchAssistant as patchEndpoint,
  replaceAssistant as replaceEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { createAssistant } from '../domain/assistants/create-assistant.ts';
import { deleteAssistant } from '../domain/assistants/delete-assistant.ts';
import type { AssistantDeps } from '../domain/assistants/deps.ts';
import { getAssistant } from '../domain/assistants/get-assistant.ts';
import { listAssistants } from '../domain/assistants/list-assistants.ts';
import { updateAssistant } from '../domain/assistants/update-assistant.ts';
import { mergedConfig } from '../domain/config/merged-config.ts';
import { replacedConfig } from '../domain/config/replaced-config.ts';
import { VOICES } from '../domain/voices/catalogue.ts';

export function mountAssistants(app: App, deps: AssistantDeps): void {
  mount(app, createEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    createAssistant(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, body }) => listAssistants(deps, auth.workspaceId, body));
  mount(app, getEndpoint, ({ auth, params }) => getAssistant(deps, auth.workspaceId, params.id));
  mount(app, patchEndpoint, ({ auth: { workspaceId }, requestId, params: { id }, body }) =>
    updateAssistant(deps, { workspaceId, id, requestId }, body, { draft: mergedConfig, provisions: true }),
  );
  mount(app, replaceEndpoint, ({ auth: { workspaceId }, requestId, params: { id }, body }) =>
    updateAssistant(deps, { workspaceId, id, requestId }, body, { draft: replacedConfig, provisions: false }),
  );
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, requestId, params: { id } }) =>
    deleteAssistant(deps, { workspaceId, id, requestId }),
  );
  mount(app, listVoicesEndpoint, () => [...VOICES]);
}
