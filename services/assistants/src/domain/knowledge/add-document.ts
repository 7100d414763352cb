import type { BodyOf, addDocument as contract } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { CreateRequest } from '../ports.ts';
import type { KnowledgeDeps } from './deps.ts';
import { toDocumentAnswer } from './document.ts';
import { noKnowledgeBase } from './read-knowledge-bases.ts';
import { splitText } from './split-text.ts';
import { wordsOf } from './words.ts';

type Request = Omit<CreateRequest, 'requestId'> & { knowledgeBaseId: string };

/** Adds a document, cut into passages that are found from the commit on. The base is held last, and for a moment only. */
export async function addDocument(
  { transact, clock, knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, idempotency, knowledgeBaseId }: Request,
  { title, text }: BodyOf<typeof contract>,
): Promise<ReturnType<typeof toDocumentAnswer>> {
  const [base] = await knowledgeBases.findIndexed(workspaceId, [knowledgeBaseId]);
  if (!base) throw noKnowledgeBase();
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
    if (!(await knowledgeBases.count(tx, workspaceId, base.id, change))) throw noKnowledgeBase();
    return idempotency.answer(tx, toDocumentAnswer(document));
  });
}

function joinedWords(text: string): string {
  return wordsOf(text)
    .map(({ word }) => word)
    .join(' ');
}
