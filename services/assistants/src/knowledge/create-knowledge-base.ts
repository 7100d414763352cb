import type { BodyOf, createKnowledgeBase as contract } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { CreateRequest } from '../transact.ts';
import type { KnowledgeDeps } from './deps.ts';
import { toKnowledgeBaseResponse } from './knowledge-base.ts';

/** Creates a knowledge base [knowledge.1]. */
export async function createKnowledgeBase(
  { transact, clock, knowledgeBases }: KnowledgeDeps,
  { workspaceId, idempotency }: Omit<CreateRequest, 'requestId' | 'by'>,
  { name }: BodyOf<typeof contract>,
): Promise<ReturnType<typeof toKnowledgeBaseResponse>> {
  const now = clock.now();
  const base = { id: newId(), workspaceId, name, documentCount: 0, createdAt: now, updatedAt: now };
  return transact(async (tx) => {
    await knowledgeBases.insert(tx, base);
    return idempotency.answer(tx, toKnowledgeBaseResponse(base));
  });
}
