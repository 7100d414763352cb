import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  knowledgeBase,
  knowledgeDocument,
  knowledgeDocumentDetail,
  knowledgeHit,
  knowledgePassage,
} from '../shapes/knowledge-base.ts';
import { idParams, queryInt, uuid } from '../shapes/primitives.ts';

const route = { service: 'assistants', access: 'private', tag: 'Knowledge bases' } as const;
const documentParams = z.object({
  id: uuid.describe('The knowledge base'),
  docId: uuid.describe('The document'),
});
const offsetPage = {
  limit: queryInt(1, 100, 50).describe('Items at once'),
  offset: queryInt(0, 2_147_483_647, 0).describe('How many to skip: `next_cursor` of the last page'),
};

/** Names and titles: trimmed, and blank is refused. */
const label = z.string().trim().min(1).max(255);

const searchBody = z.object({
  query: z.string().trim().min(1).max(1000).describe('A question or some words, taken as plain text'),
  limit: z.int().min(1).max(20).default(5).describe('Passages at most'),
});

export const createKnowledgeBase = defineEndpoint({
  ...route,
  id: 'createKnowledgeBase',
  method: 'POST',
  path: '/v1/knowledge-base',
  body: z.object({ name: label.describe('For people') }),
  status: 201,
  envelope: 'data',
  response: knowledgeBase,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Create a knowledge base',
  description: 'Assistants use it while its id is in their `config.kbStoreIds`.',
  example: { name: 'House rules' },
});

export const listKnowledgeBases = defineEndpoint({
  ...route,
  id: 'listKnowledgeBases',
  method: 'GET',
  path: '/v1/knowledge-base',
  query: z.object({
    ...offsetPage,
    search: z.string().min(1).max(255).optional().describe('Case-insensitive part of the name'),
  }),
  status: 200,
  envelope: 'list',
  response: knowledgeBase,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List knowledge bases, newest first',
  description: '`next_cursor` is the next offset. An offset past the end gives an empty list.',
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
  summary: 'Read one knowledge base',
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
  description: 'Its id leaves the `config.kbStoreIds` of every assistant at the same moment.',
});

export const addDocument = defineEndpoint({
  ...route,
  id: 'addDocument',
  method: 'POST',
  path: '/v1/knowledge-base/:id/documents',
  params: idParams,
  body: z.object({
    title: label.describe('Counts as part of each of its passages'),
    text: z
      .string()
      .regex(/\S/, { error: 'must not be blank' })
      .describe('Kept as it is; the limit is that of the body, 1 MiB'),
  }),
  status: 201,
  envelope: 'data',
  response: knowledgeDocument,
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Add a document to a knowledge base',
  description: 'It is found by searches from the answer on.',
  example: { title: 'Opening hours', text: 'We are open from 9 to 17, Monday to Friday.' },
});

export const listDocuments = defineEndpoint({
  ...route,
  id: 'listDocuments',
  method: 'GET',
  path: '/v1/knowledge-base/:id/documents',
  params: idParams,
  query: z.object(offsetPage),
  status: 200,
  envelope: 'list',
  response: knowledgeDocument,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the documents of a knowledge base, newest first, without their texts',
  description: '`next_cursor` is the next offset. An offset past the end gives an empty list.',
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
  summary: 'Read one document with its text',
  description: 'The text is what was sent, to the letter.',
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
  description: 'Searches do not find it any more from the answer on.',
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
  summary: 'Search a knowledge base by words, best passage first',
  description:
    'Full-text search over passages of about 1,000 characters: words are found in any English inflection and with or ' +
    'without accents, and a title counts as part of each of its passages. A query without a word to look for finds nothing.',
  example: { query: 'When do you open?', limit: 3 },
});

/** What a call asks for its assistant: `config.kbStoreIds`; ids that are no knowledge bases of the workspace find nothing. */
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
  summary: "Search several of the workspace's knowledge bases as one",
});
