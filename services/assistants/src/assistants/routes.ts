import {
  createAssistant as createEndpoint,
  deleteAssistant as deleteEndpoint,
  getAssistant as getEndpoint,
  listAssistants as listEndpoint,
  listModels as listModelsEndpoint,
  listTranscribers as listTranscribersEndpoint,
  listVoices as listVoicesEndpoint,
  patchAssistant as patchEndpoint,
  replaceAssistant as replaceEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { listModels, listTranscribers, listVoices, type VoiceDeps } from '../voices/list-voices.ts';
import { mergedConfig, replacedConfig } from './config/config-draft.ts';
import { createAssistant } from './create-assistant.ts';
import { deleteAssistant } from './delete-assistant.ts';
import type { AssistantDeps } from './lock-assistant.ts';
import { getAssistant, listAssistants } from './read-assistants.ts';
import { updateAssistant } from './update-assistant.ts';

export function mountAssistants(app: App, deps: AssistantDeps & VoiceDeps): void {
  mount(app, createEndpoint, ({ auth: { workspaceId }, by, requestId, idempotency, body }) =>
    createAssistant(deps, { workspaceId, requestId, by, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, body }) => listAssistants(deps, auth, body));
  mount(app, getEndpoint, ({ auth, params }) => getAssistant(deps, auth.workspaceId, params.id));
  mount(app, patchEndpoint, ({ auth: { workspaceId }, by, requestId, params: { id }, body }) =>
    updateAssistant(deps, { workspaceId, id, requestId, by }, body, {
      draft: mergedConfig,
      provisions: true,
    }),
  );
  mount(app, replaceEndpoint, ({ auth: { workspaceId }, by, requestId, params: { id }, body }) =>
    updateAssistant(deps, { workspaceId, id, requestId, by }, body, {
      draft: replacedConfig,
      provisions: false,
    }),
  );
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, by, requestId, params: { id } }) =>
    deleteAssistant(deps, { workspaceId, id, requestId, by }),
  );
  mount(app, listVoicesEndpoint, () => listVoices(deps));
  mount(app, listModelsEndpoint, () => listModels(deps));
  mount(app, listTranscribersEndpoint, () => listTranscribers(deps));
}
