import { recordAudit } from '@parley/kit/audit';
import type { ChangedBy } from '@parley/kit/http';
import type { Assistant } from '../assistants/assistant.ts';
import { changeAssistants } from '../assistants/change-assistant.ts';
import type { Tx } from '../transact.ts';
import type { KnowledgeDeps } from './deps.ts';
import { knowledgeBaseNotFound } from './read-knowledge.ts';

/** Assistants in memory at once: each can have a configuration of 256 KiB. */
const BATCH = 100;

type Input = { workspaceId: string; id: string; requestId: string; by: ChangedBy };

/**
 * Deletes a knowledge base and removes its id from every assistant in the same transaction [knowledge.1]. Assistants are
 * locked after the base, in the order of their ids, which avoids deadlocks. Documents are deleted later in batches: a base
 * can have a gigabyte.
 */
export async function deleteKnowledgeBase(deps: KnowledgeDeps, input: Input): Promise<void> {
  const { workspaceId, id } = input;
  const known = await deps.knowledgeBases.find(workspaceId, id);
  await deps.transact(async (tx) => {
    if (!(await deps.knowledgeBases.lockForDeletion(tx, workspaceId, id))) throw knowledgeBaseNotFound();
    await leaveAssistants(tx, deps, input);
    const at = deps.clock.now();
    await deps.knowledgeBases.remove(tx, workspaceId, id, at);
    const target = { type: 'knowledge_base', id, name: known?.name ?? null };
    await recordAudit(tx, input.by, { action: 'knowledge_base.deleted', target, at });
  });
}

async function leaveAssistants(
  tx: Tx,
  deps: KnowledgeDeps,
  { workspaceId, id, requestId }: Input,
): Promise<void> {
  let after: string | undefined;
  do {
    const held = await deps.assistants.lockUsersOf(tx, workspaceId, id, { after, limit: BATCH });
    // A concurrent change may have removed the id.
    const naming = held.filter((assistant) => knowledgeBaseIdsOf(assistant).includes(id));
    const without = (assistant: Assistant) => ({
      config: {
        ...assistant.config,
        kbStoreIds: knowledgeBaseIdsOf(assistant).filter((other) => other !== id),
      },
    });
    await changeAssistants(tx, deps, naming, without, requestId);
    after = held.length < BATCH ? undefined : held.at(-1)?.id;
  } while (after !== undefined);
}

function knowledgeBaseIdsOf({ config }: Assistant): string[] {
  return Array.isArray(config.kbStoreIds) ? config.kbStoreIds : [];
}
