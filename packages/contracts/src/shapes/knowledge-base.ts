import { z } from 'zod';
import { isoMillis, uuid } from './primitives.ts';

/** [knowledge.1]. `updated_at` changes with its documents. */
export const knowledgeBase = z
  .object({
    id: uuid.describe('Id of the knowledge base, for `config.kbStoreIds` of assistants'),
    name: z.string().describe('Display name'),
    document_count: z.int().describe('Number of documents'),
    created_at: isoMillis.describe('Time of creation'),
    updated_at: isoMillis.describe('Time of the last change, including changes of its documents'),
  })
  .meta({ id: 'KnowledgeBase', description: 'A knowledge base' });

/** A document without its text. */
export const knowledgeDocument = z
  .object({
    id: uuid.describe('Id of the document'),
    knowledge_base_id: uuid.describe('Knowledge base of the document'),
    title: z.string().describe('Title; searched as part of every passage of the document'),
    size: z.int().describe('Size of the text in bytes (UTF-8)'),
    created_at: isoMillis.describe('Time of creation'),
  })
  .meta({ id: 'KnowledgeDocument', description: 'A document, without its text' });

export const knowledgeDocumentDetail = knowledgeDocument
  .extend({ text: z.string().describe('The text, as sent') })
  .meta({ id: 'KnowledgeDocumentDetail', description: 'A document with its text' });

const score = z
  .number()
  .min(0)
  .max(1)
  .describe('How well the passage matches the query, 0 to 1; rare words count more than common ones');

/** A matching passage; a document can have several. */
export const knowledgeHit = z
  .object({
    document_id: uuid.describe('Document of the passage'),
    title: z.string().describe('Title of the document'),
    snippet: z.string().describe('Plain text around the matching words, which are enclosed in `**`'),
    score,
  })
  .meta({ id: 'KnowledgeHit', description: 'A matching passage; a document can have several' });

/** A matching passage for a call: with its whole text, for the model. */
export const knowledgePassage = z.object({
  knowledge_base_id: uuid,
  document_id: uuid,
  title: z.string(),
  text: z.string(),
  score,
});
export type KnowledgePassage = z.output<typeof knowledgePassage>;
