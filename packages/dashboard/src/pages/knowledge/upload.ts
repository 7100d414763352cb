import { api } from '../../app/client.ts';
import { splitParts } from './text/split-parts.ts';

/** Adds a text as one document, or as several if it is too long for one. */
export async function addText(baseId: string, title: string, text: string): Promise<void> {
  const parts = splitParts(text);
  for (const [i, part] of parts.entries()) {
    const name = parts.length === 1 ? title : `${title} (${i + 1} of ${parts.length})`;
    await api.knowledgeBases.addDocument(baseId, { title: name, text: part });
  }
}
