import type { Clock } from '@parley/kit/time';
import type { AssistantStore } from '../assistants/ports.ts';
import type { Transact } from '../ports.ts';
import type { DocumentStore, KnowledgeBaseStore, PassageIndex } from './ports.ts';

/** What the use cases of knowledge bases work with. */
export type KnowledgeDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  knowledgeBases: KnowledgeBaseStore;
  documents: DocumentStore;
  passages: PassageIndex;
};
