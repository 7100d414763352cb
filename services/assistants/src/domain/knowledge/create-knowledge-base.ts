import type { BodyOf, createKnowledgeBase as contract } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { CreateRequest } from '../ports.ts';
import type { KnowledgeDeps } from './deps.ts';
import { toKnowledgeBaseAnswer } from './knowledge-base.ts';

/** D3.6 */
export async function createKnowledgeBase(
  { transact, clock, knowledgeBases }: KnowledgeDeps,
  { workspaceId, idempotency }: Omit<CreateRequest, 'requestId'>,
  { name }: BodyOf<typeof contract>,
): Promise<ReturnType<typeof toKnowledgeBaseAnswer>> {
  const now = clock.now();
  const base = { id: newId(), workspaceId, name, documentCount: 0, createdAt: now, updatedAt: now };
  return transact(async (tx) => {
    await knowledgeBases.insert(tx, base);
    return idempotency.answer(tx, toKnowledgeBaseAnswer(base));
  });
}
