import { conflict, notFound } from '@parley/kit/errors';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import type { Transact } from '../ports.ts';
import type { AssistantStore, Campaigns } from './ports.ts';

export type DeleteDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  campaigns: Campaigns;
};

/**
 * Deletes an assistant with its tools, unless a live campaign uses it (D3.1). Campaigns keeps new ones off it from its
 * answer on, for longer than the transaction can take: there is no waiting in between.
 */
export async function deleteAssistant(
  { transact, clock, assistants, campaigns }: DeleteDeps,
  { workspaceId, id, requestId }: { workspaceId: string; id: string; requestId: string },
): Promise<void> {
  if (!(await assistants.exists(workspaceId, id))) throw notFound('Assistant');
  const blocker = await campaigns.retireAssistant(id, { workspaceId, requestId });
  if (blocker) {
    throw conflict(
      `The campaign ${JSON.stringify(blocker.name)} uses the assistant, and is ${blocker.status}`,
    );
  }
  await transact(async (tx) => {
    const held = await assistants.lock(tx, workspaceId, id);
    if (!held) throw notFound('Assistant');
    await assistants.remove(tx, workspaceId, held.id);
    await enqueue(tx, {
      type: 'assistant.deleted',
      workspaceId,
      requestId,
      occurredAt: clock.now(),
      data: { agent_id: held.id, version: held.version + 1 },
    });
  });
}
