import type { Sql } from '@parley/kit/db';
import type { Assistant } from '../assistants/assistant.ts';
import { changeAssistants } from '../assistants/change-assistant.ts';
import type { KnowledgeDeps } from './deps.ts';
import { noKnowledgeBase } from './read-knowledge-bases.ts';

/** How many assistants are in memory at once: each may have a configuration of 256 KiB. */
const BATCH = 100;

type Input = { workspaceId: string; id: string; requestId: string };

/**
 * Deletes a knowledge base with its documents; its id leaves every assistant in the same transaction (D3.6). Assistants
 * are held after the base, and in the order of their ids: nobody can take the id meanwhile, and two deletions that meet
 * wait for each other in one order. What the documents take is freed later, in batches: a base may hold a gigabyte.
 */
export async function deleteKnowledgeBase(deps: KnowledgeDeps, input: Input): Promise<void> {
  const { workspaceId, id } = input;
  await deps.transact(async (tx) => {
    if (!(await deps.knowledgeBases.holdAlone(tx, workspaceId, id))) throw noKnowledgeBase();
    await leaveAssistants(tx, deps, input);
    await deps.knowledgeBases.remove(tx, workspaceId, id, deps.clock.now());
  });
}

async function leaveAssistants(
  tx: Sql,
  deps: KnowledgeDeps,
  { workspaceId, id, requestId }: Input,
): Promise<void> {
  let after: string | undefined;
  do {
    const held = await deps.assistants.lockUsersOf(tx, workspaceId, id, { after, limit: BATCH });
    // One that was changed while we waited for it may have given the id up by itself.
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
