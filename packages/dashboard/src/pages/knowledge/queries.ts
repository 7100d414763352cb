import type { BrowserClient } from '@parley/client/browser';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client.ts';

type KnowledgeBases = BrowserClient['knowledgeBases'];
export type KnowledgeBase = Awaited<ReturnType<KnowledgeBases['get']>>;
export type KnowledgeDocument = Awaited<ReturnType<KnowledgeBases['listDocuments']>>['items'][number];
export type KnowledgeHit = Awaited<ReturnType<KnowledgeBases['search']>>[number];

/** Of a text that is not added yet, in this browser's storage. */
export const textDraftName = (baseId: string): string => `knowledge/${baseId}/text`;

/** All bases, or those whose name has the text. */
export const basesQuery = (search?: string) =>
  queryOptions({
    queryKey: ['knowledge', 'bases', search ?? ''],
    queryFn: async ({ signal }) => {
      const found: KnowledgeBase[] = [];
      const pages = api.knowledgeBases.list({ limit: 100, ...(search ? { search } : {}) }, { signal });
      for await (const base of pages) found.push(base);
      return found;
    },
  });

export const baseQuery = (id: string) =>
  queryOptions({
    queryKey: ['knowledge', 'base', id],
    queryFn: ({ signal }) => api.knowledgeBases.get(id, { signal }),
  });

export const documentQuery = (id: string, documentId: string) =>
  queryOptions({
    queryKey: ['knowledge', 'document', id, documentId],
    queryFn: ({ signal }) => api.knowledgeBases.getDocument(id, documentId, { signal }),
  });
