import { api } from '../../app/client.ts';
import { splitParts } from './text/split-parts.ts';

/** Of a text that becomes several documents: those that are there, of how many. */
export type Progress = { added: number; parts: number };

export function progressWords({ added, parts }: Progress): string {
  return parts === 1 ? 'uploading and indexing' : `uploading and indexing, part ${added + 1} of ${parts}`;
}

type Upload = {
  baseId: string;
  title: string;
  text: string;
  /** Where an upload of the same text has failed before: what was added is not added again. */
  from: number;
  /** Of this upload: a part whose response was lost is not added again either. */
  idempotencyKey: string;
  onProgress: (progress: Progress) => void;
};

type Add = (
  baseId: string,
  document: { title: string; text: string },
  options: { idempotencyKey: string },
) => Promise<unknown>;

/** Adds a text as one document, or as several if it is too long for one. */
export async function addText(
  { baseId, title, text, from, idempotencyKey, onProgress }: Upload,
  add: Add = (...args) => api.knowledgeBases.addDocument(...args),
): Promise<void> {
  const parts = splitParts(text);
  for (const [i, part] of parts.entries()) {
    if (i < from) continue;
    onProgress({ added: i, parts: parts.length });
    const name = parts.length === 1 ? title : `${title} (${i + 1} of ${parts.length})`;
    await add(baseId, { title: name, text: part }, { idempotencyKey: `${idempotencyKey}:${i}` });
  }
}
