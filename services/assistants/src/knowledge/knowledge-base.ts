import type { knowledgeBase as answer } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';

export type KnowledgeBase = {
  id: string;
  workspaceId: string;
  name: string;
  documentCount: number;
  createdAt: Date;
  /** Also changes with its documents. */
  updatedAt: Date;
};

export function toKnowledgeBaseResponse(base: KnowledgeBase): z.output<typeof answer> {
  return {
    id: base.id,
    name: base.name,
    document_count: base.documentCount,
    created_at: toIsoMillis(base.createdAt),
    updated_at: toIsoMillis(base.updatedAt),
  };
}
