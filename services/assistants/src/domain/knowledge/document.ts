import type { knowledgeDocument as answer } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';

export type KnowledgeDocument = {
  id: string;
  knowledgeBaseId: string;
  title: string;
  /** Bytes of its text. */
  size: number;
  createdAt: Date;
};

export function toDocumentAnswer(document: KnowledgeDocument): z.output<typeof answer> {
  return {
    id: document.id,
    knowledge_base_id: document.knowledgeBaseId,
    title: document.title,
    size: document.size,
    created_at: toIsoMillis(document.createdAt),
  };
}
