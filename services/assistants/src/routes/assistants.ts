import {
  createAssistant as createEndpoint,
  getAssistant as getEndpoint,
  listAssistants as listEndpoint,
  listVoices as listVoicesEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { createAssistant } from '../domain/assistants/create-assistant.ts';
import type { AssistantDeps } from '../domain/assistants/deps.ts';
import { getAssistant } from '../domain/assistants/get-assistant.ts';
import { listAssistants } from '../domain/assistants/list-assistants.ts';
import { VOICES } from '../domain/voices/catalogue.ts';

export function mountAssistants(app: App, deps: AssistantDeps): void {
  mount(app, createEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    createAssistant(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, body }) => listAssistants(deps, auth.workspaceId, body));
  mount(app, getEndpoint, ({ auth, params }) => getAssistant(deps, auth.workspaceId, params.id));
  mount(app, listVoicesEndpoint, () => [...VOICES]);
}
