import { AppError, conflict, notFound } from '@parley/kit/errors';
import { enqueue } from '@parley/kit/outbox';
import { type Clock, monotonicMs } from '@parley/kit/time';
import type { Transact } from '../ports.ts';
import { keptChanging } from './kept-changing.ts';
import type { AssistantStore, Campaigns } from './ports.ts';

export type DeleteDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  campaigns: Campaigns;
};

/** The word of campaigns holds for 15 seconds, of which the rest of the transaction may take 10. Real time. */
const HOLDS_MS = 5_000;

/** Deletes an assistant with its tools, unless a live campaign uses it (D3.1); from its answer on campaigns starts none. */
export async function deleteAssistant(
  { transact, clock, assistants, campaigns }: DeleteDeps,
  { workspaceId, id, requestId }: { workspaceId: string; id: string; requestId: string },
): Promise<void> {
  if (!(await assistants.exists(workspaceId, id))) throw notFound('Assistant');
  const askedMs = monotonicMs();
  const { blocker, lift } = await campaigns.retireAssistant(id, { workspaceId, requestId });
  if (blocker) throw conflict(`The campaign "${blocker.name}" uses the assistant: it is ${blocker.status}`);
  const deletion = transact(async (tx) => {
    const held = await assistants.lock(tx, workspaceId, id);
    if (!held) throw notFound('Assistant');
    if (monotonicMs() - askedMs > HOLDS_MS) throw keptChanging();
    await assistants.remove(tx, workspaceId, held.id);
    await enqueue(tx, {
      type: 'assistant.deleted',
      workspaceId,
      requestId,
      occurredAt: clock.now(),
      data: { agent_id: held.id, version: held.version + 1 },
    });
  });
  await deletion.catch(async (err) => {
    // What we have refused ourselves was surely rolled back; of anything else the commit may yet have come through.
    if (err instanceof AppError && err.code !== 'NOT_FOUND') await lift();
    throw err;
  });
}
