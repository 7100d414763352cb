import type { RunExclusiveByKey } from '@parley/kit/concurrency';
import { notFound } from '@parley/kit/errors';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { ZodType } from 'zod';
import type { Campaigns } from '../clients/campaigns.ts';
import type { KnowledgeBaseStore } from '../knowledge/knowledge-bases.store.ts';
import type { ToolStore } from '../tools/tools.store.ts';
import type { Transact, Tx } from '../transact.ts';
import type { VoiceCatalogue } from '../voices/catalogue.ts';
import type { Assistant } from './assistant.ts';
import type { AssistantStore } from './assistants.store.ts';

/** Dependencies of the use cases of assistants. */
export type AssistantDeps = LockDeps & {
  clock: Clock;
  secrets: Pick<SecretBox, 'seal' | 'open'>;
  tools: ToolStore;
  knowledgeBases: KnowledgeBaseStore;
  campaigns: Campaigns;
  /** The known keys of a configuration and their rules. */
  configSchema: ZodType;
  catalogue: VoiceCatalogue;
};

/** Dependencies of changes of an assistant or its tools. */
export type LockDeps = { transact: Transact; assistants: AssistantStore; oneAtATime: RunExclusiveByKey };

/**
 * Runs `work` in a transaction that locks the assistant, so that concurrent changes are applied one after the other
 * [assistants.8]. `NOT_FOUND` if it does not exist; `CONFLICT` if waiting takes too long.
 */
export function withLockedAssistant<R>(
  { transact, assistants, oneAtATime }: LockDeps,
  { workspaceId, id }: { workspaceId: string; id: string },
  work: (tx: Tx, assistant: Assistant) => Promise<R>,
): Promise<R> {
  return oneAtATime(`${workspaceId} ${id.toLowerCase()}`, () =>
    transact(async (tx) => {
      const assistant = await assistants.lock(tx, workspaceId, id);
      if (!assistant) throw notFound('Assistant');
      return work(tx, assistant);
    }),
  );
}
