import type { knowledgeDocument as answer } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';

export type KnowledgeDocument = {
  id: string;
  knowledgeBaseId: string;
  title: string;
  /** Size of the text in bytes. */
  size: number;
  createdAt: Date;
};

export function toDocumentResponse(document: KnowledgeDocument): z.output<typeof answer> {
  return {
    id: document.id,
    knowledge_base_id: document.knowledgeBaseId,
    title: document.title,
    size: document.size,
    created_at: toIsoMillis(document.createdAt),
  };
}
