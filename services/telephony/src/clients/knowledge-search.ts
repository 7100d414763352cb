import { searchKnowledge } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import type { KnowledgeSearch } from '../sessions/tools/search-knowledge.ts';

const MAX_PASSAGES = 5;

export function createKnowledgeSearch(assistants: ServiceClient): KnowledgeSearch {
  return {
    search: (workspaceId, { knowledgeBaseIds, query }) => {
      const body = { knowledge_base_ids: [...knowledgeBaseIds], query, limit: MAX_PASSAGES };
      return assistants.call(searchKnowledge, { body }, { workspaceId });
    },
  };
}
