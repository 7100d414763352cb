import type { BodyOf, addDocument as contract } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { CreateRequest } from '../transact.ts';
import type { KnowledgeDeps } from './deps.ts';
import { toDocumentResponse } from './document.ts';
import { knowledgeBaseNotFound } from './read-knowledge.ts';
import { splitText } from './split-text.ts';
import { wordsOf } from './words.ts';

type Request = Omit<CreateRequest, 'requestId' | 'by'> & { knowledgeBaseId: string };

/**
 * Adds a document, split into passages that are searchable from the commit on. The base is updated last, to lock it
 * briefly.
 */
export async function addDocument(
  { transact, clock, knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, idempotency, knowledgeBaseId }: Request,
  { title, text }: BodyOf<typeof contract>,
): Promise<ReturnType<typeof toDocumentResponse>> {
  const [base] = await knowledgeBases.findIndexed(workspaceId, [knowledgeBaseId]);
  if (!base) throw knowledgeBaseNotFound();
  const at = clock.now();
  const document = {
    id: newId(),
    knowledgeBaseId: base.id,
    title,
    size: Buffer.byteLength(text),
    createdAt: at,
  };
  const passages = splitText(text).map((part) => ({ text: part, words: joinedWords(part) }));
  const index = { number: base.number, titleWords: joinedWords(title), passages };
  return transact(async (tx) => {
    await documents.insert(tx, document, index);
    const change = { documents: 1, passages: passages.length, at };
    if (!(await knowledgeBases.count(tx, workspaceId, base.id, change))) throw knowledgeBaseNotFound();
    return idempotency.answer(tx, toDocumentResponse(document));
  });
}

function joinedWords(text: string): string {
  return wordsOf(text)
    .map(({ word }) => word)
    .join(' ');
}
