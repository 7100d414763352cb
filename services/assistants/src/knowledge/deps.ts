import type { Clock } from '@parley/kit/time';
import type { AssistantStore } from '../assistants/assistants.store.ts';
import type { Transact } from '../transact.ts';
import type { DocumentStore } from './documents.store.ts';
import type { KnowledgeBaseStore } from './knowledge-bases.store.ts';
import type { PassageIndex } from './passages.store.ts';

/** Dependencies of the use cases of knowledge bases. */
export type KnowledgeDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  knowledgeBases: KnowledgeBaseStore;
  documents: DocumentStore;
  passages: PassageIndex;
};
