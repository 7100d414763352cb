import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  knowledgeBase,
  knowledgeDocument,
  knowledgeDocumentDetail,
  knowledgeHit,
  knowledgePassage,
} from '../shapes/knowledge-base.ts';
import { idParams, offsetPage, uuid } from '../shapes/primitives.ts';

const route = { service: 'assistants', access: 'private', tag: 'Knowledge bases' } as const;
const documentParams = z.object({
  id: uuid.describe('The knowledge base'),
  docId: uuid.describe('The document'),
});
/** Names and titles: trimmed; blank is rejected. */
const label = z.string().trim().min(1).max(255);

const searchBody = z.object({
  query: z.string().trim().min(1).max(1000).describe('Question or keywords, plain text'),
  limit: z.int().min(1).max(20).default(5).describe('Maximum number of passages'),
});

export const createKnowledgeBase = defineEndpoint({
  ...route,
  id: 'createKnowledgeBase',
  method: 'POST',
  path: '/v1/knowledge-base',
  body: z.object({ name: label.describe('Display name') }),
  status: 201,
  envelope: 'data',
  response: knowledgeBase,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Create a knowledge base',
  description: 'Assistants search it while its id is in their `config.kbStoreIds`.',
  example: { name: 'House rules' },
});

export const listKnowledgeBases = defineEndpoint({
  ...route,
  id: 'listKnowledgeBases',
  method: 'GET',
  path: '/v1/knowledge-base',
  query: z.object({
    ...offsetPage(),
    search: z.string().min(1).max(255).optional().describe('Case-insensitive substring of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: knowledgeBase,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List knowledge bases, newest first',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});

export const getKnowledgeBase = defineEndpoint({
  ...route,
  id: 'getKnowledgeBase',
  method: 'GET',
  path: '/v1/knowledge-base/:id',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: knowledgeBase,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get a knowledge base',
  description: 'Its documents are listed under `/documents`.',
});

export const deleteKnowledgeBase = defineEndpoint({
  ...route,
  id: 'deleteKnowledgeBase',
  method: 'DELETE',
  path: '/v1/knowledge-base/:id',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Delete a knowledge base with its documents',
  description: 'Its id is removed from the `config.kbStoreIds` of every assistant in the same transaction.',
});

export const addDocument = defineEndpoint({
  ...route,
  id: 'addDocument',
  method: 'POST',
  path: '/v1/knowledge-base/:id/documents',
  params: idParams,
  body: z.object({
    title: label.describe('Title; searched as part of every passage of the document'),
    text: z
      .string()
      .regex(/\S/, { error: 'must not be blank' })
      .describe('Stored unchanged; limited by the maximum body size of 1 MiB'),
  }),
  status: 201,
  envelope: 'data',
  response: knowledgeDocument,
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Add a document to a knowledge base',
  description: 'The document is searchable as soon as the response is sent.',
  example: { title: 'Opening hours', text: 'We are open from 9 to 17, Monday to Friday.' },
});

export const listDocuments = defineEndpoint({
  ...route,
  id: 'listDocuments',
  method: 'GET',
  path: '/v1/knowledge-base/:id/documents',
  params: idParams,
  query: z.object(offsetPage()),
  status: 200,
  envelope: 'list',
  response: knowledgeDocument,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the documents of a knowledge base, newest first, without their text',
  description: '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});

export const getDocument = defineEndpoint({
  ...route,
  id: 'getDocument',
  method: 'GET',
  path: '/v1/knowledge-base/:id/documents/:docId',
  params: documentParams,
  status: 200,
  envelope: 'data',
  response: knowledgeDocumentDetail,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get a document with its text',
  description: 'The text is returned exactly as it was sent.',
});

export const deleteDocument = defineEndpoint({
  ...route,
  id: 'deleteDocument',
  method: 'DELETE',
  path: '/v1/knowledge-base/:id/documents/:docId',
  params: documentParams,
  status: 204,
  envelope: 'none',
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Delete a document',
  description: 'Searches stop finding it as soon as the response is sent.',
});

export const searchKnowledgeBase = defineEndpoint({
  ...route,
  id: 'searchKnowledgeBase',
  method: 'POST',
  path: '/v1/knowledge-base/:id/search',
  readsOnly: true,
  params: idParams,
  body: searchBody,
  status: 200,
  envelope: 'data',
  response: z.array(knowledgeHit),
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Search a knowledge base, best passage first',
  description:
    'Full-text search over passages of about 1,000 characters. Words match in any English inflection and with or ' +
    'without accents, and the title is searched as part of every passage. A query without searchable words finds ' +
    'nothing.',
  example: { query: 'When do you open?', limit: 3 },
});

/** Called during calls with the assistant's `config.kbStoreIds`; unknown ids find nothing. */
export const searchKnowledge = defineEndpoint({
  ...route,
  access: 'internal',
  id: 'searchKnowledge',
  method: 'POST',
  path: '/internal/knowledge/search',
  body: searchBody.extend({ knowledge_base_ids: z.array(uuid).max(100) }),
  status: 200,
  envelope: 'data',
  response: z.array(knowledgePassage),
  errors: ['VALIDATION_FAILED'],
  summary: 'Search several knowledge bases of the workspace together',
});
