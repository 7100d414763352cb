import { z } from 'zod';
import { isoMillis, uuid } from './primitives.ts';

/** D3.6. `updated_at` moves with its documents. */
export const knowledgeBase = z.object({
  id: uuid,
  name: z.string(),
  document_count: z.int(),
  created_at: isoMillis,
  updated_at: isoMillis,
});

/** A document as it is listed: without its text. */
export const knowledgeDocument = z.object({
  id: uuid,
  knowledge_base_id: uuid,
  title: z.string(),
  size: z.int().describe('Bytes of the text in UTF-8'),
  created_at: isoMillis,
});

export const knowledgeDocumentDetail = knowledgeDocument.extend({ text: z.string() });

const score = z
  .number()
  .min(0)
  .max(1)
  .describe('How much of the query the passage answers; rare words count for more than common ones');

/** A passage that was found; one document may have several. */
export const knowledgeHit = z.object({
  document_id: uuid,
  title: z.string(),
  snippet: z.string().describe('Plain text around the words that were found, which stand between `**`'),
  score,
});

/** What a call gets of a passage: all of it, since a model reads it. */
export const knowledgePassage = z.object({
  knowledge_base_id: uuid,
  document_id: uuid,
  title: z.string(),
  text: z.string(),
  score,
});
export type KnowledgePassage = z.output<typeof knowledgePassage>;
