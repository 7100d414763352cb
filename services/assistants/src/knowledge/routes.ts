import {
  addDocument as addDocumentEndpoint,
  createKnowledgeBase as createEndpoint,
  deleteDocument as deleteDocumentEndpoint,
  deleteKnowledgeBase as deleteEndpoint,
  getDocument as getDocumentEndpoint,
  getKnowledgeBase as getEndpoint,
  listDocuments as listDocumentsEndpoint,
  listKnowledgeBases as listEndpoint,
  searchKnowledgeBase as searchEndpoint,
  searchKnowledge as searchForCallEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { addDocument } from './add-document.ts';
import { createKnowledgeBase } from './create-knowledge-base.ts';
import { deleteDocument } from './delete-document.ts';
import { deleteKnowledgeBase } from './delete-knowledge-base.ts';
import type { KnowledgeDeps } from './deps.ts';
import { getDocument, getKnowledgeBase, listDocuments, listKnowledgeBases } from './read-knowledge.ts';
import { searchKnowledge, searchKnowledgeBase } from './search-knowledge.ts';

export function mountKnowledgeBases(app: App, deps: KnowledgeDeps): void {
  mount(app, createEndpoint, ({ auth: { workspaceId }, idempotency, body }) =>
    createKnowledgeBase(deps, { workspaceId, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, query }) => listKnowledgeBases(deps, auth.workspaceId, query));
  mount(app, getEndpoint, ({ auth, params }) => getKnowledgeBase(deps, auth.workspaceId, params.id));
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, by, params: { id }, requestId }) =>
    deleteKnowledgeBase(deps, { workspaceId, id: id.toLowerCase(), requestId, by }),
  );
  mount(app, searchEndpoint, ({ auth: { workspaceId }, params: { id }, body }) =>
    searchKnowledgeBase(deps, { workspaceId, id }, body),
  );
  mount(app, searchForCallEndpoint, ({ auth, body }) => searchKnowledge(deps, auth.workspaceId, body));
  mountDocuments(app, deps);
}

function mountDocuments(app: App, deps: KnowledgeDeps): void {
  mount(app, addDocumentEndpoint, ({ auth: { workspaceId }, params, idempotency, body }) =>
    addDocument(deps, { workspaceId, knowledgeBaseId: params.id, idempotency }, body),
  );
  mount(app, listDocumentsEndpoint, ({ auth: { workspaceId }, params, query }) =>
    listDocuments(deps, { workspaceId, knowledgeBaseId: params.id }, query),
  );
  mount(app, getDocumentEndpoint, ({ auth: { workspaceId }, params: { id, docId } }) =>
    getDocument(deps, { workspaceId, knowledgeBaseId: id, id: docId }),
  );
  mount(app, deleteDocumentEndpoint, ({ by, params: { id, docId } }) =>
    deleteDocument(deps, { by, knowledgeBaseId: id, id: docId }),
  );
}
