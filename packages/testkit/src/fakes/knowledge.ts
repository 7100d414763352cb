import { type KnowledgePassage, searchKnowledge } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';

/** A fake of the knowledge bases for telephony. */
export type FakeKnowledge = {
  /** Sets the result of every search of the knowledge base. */
  setPassages(knowledgeBaseId: string, passages: KnowledgePassage[]): void;
  /** Received searches. */
  searched: string[];
};

export function fakeKnowledge(app: App): FakeKnowledge {
  const passages = new Map<string, KnowledgePassage[]>();
  const searched: string[] = [];
  mount(app, searchKnowledge, ({ body }) => {
    searched.push(body.query);
    return body.knowledge_base_ids.flatMap((id) => passages.get(id) ?? []).slice(0, body.limit);
  });
  return { searched, setPassages: (id, found) => void passages.set(id, found) };
}
