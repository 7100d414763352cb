import { z } from 'zod';
import { isoMillis, uuid } from './primitives.ts';

/** D3.6. `updated_at` moves with its documents. */
export const knowledgeBase = z
  .object({
    id: uuid.describe('The knowledge base; goes into `config.kbStoreIds` of assistants'),
    name: z.string().describe('For people'),
    document_count: z.int().describe('Documents that it has'),
    created_at: isoMillis.describe('When it was created'),
    updated_at: isoMillis.describe('Moves with its documents too'),
  })
  .meta({ id: 'KnowledgeBase', description: 'A knowledge base' });

/** A document as it is listed: without its text. */
export const knowledgeDocument = z
  .object({
    id: uuid.describe('The document'),
    knowledge_base_id: uuid.describe('The knowledge base that it is in'),
    title: z.string().describe('Counts as part of each of its passages'),
    size: z.int().describe('Bytes of the text in UTF-8'),
    created_at: isoMillis.describe('When it was added'),
  })
  .meta({ id: 'KnowledgeDocument', description: 'A document, without its text' });

export const knowledgeDocumentDetail = knowledgeDocument
  .extend({ text: z.string().describe('As it was sent') })
  .meta({ id: 'KnowledgeDocumentDetail', description: 'A document with its text' });

const score = z
  .number()
  .min(0)
  .max(1)
  .describe('How much of the query the passage answers; rare words count for more than common ones');

/** A passage that was found; one document may have several. */
export const knowledgeHit = z
  .object({
    document_id: uuid.describe('The document that holds the passage'),
    title: z.string().describe('Of that document'),
    snippet: z.string().describe('Plain text around the words that were found, which stand between `**`'),
    score,
  })
  .meta({ id: 'KnowledgeHit', description: 'A passage that was found; one document may have several' });

/** What a call gets of a passage: all of it, since a model reads it. */
export const knowledgePassage = z.object({
  knowledge_base_id: uuid,
  document_id: uuid,
  title: z.string(),
  text: z.string(),
  score,
});
export type KnowledgePassage = z.output<typeof knowledgePassage>;
