import { type KnowledgePassage, searchKnowledge } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';

/** The knowledge bases of assistants, as telephony sees them. */
export type FakeKnowledge = {
  /** What a search of the knowledge base finds, whatever is asked. */
  setPassages(knowledgeBaseId: string, passages: KnowledgePassage[]): void;
  /** What was looked for. */
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
