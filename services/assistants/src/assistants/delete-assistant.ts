import { recordAudit } from '@parley/kit/audit';
import { AppError, conflict, notFound } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import { enqueue } from '@parley/kit/outbox';
import { type Clock, monotonicMs } from '@parley/kit/time';
import type { Campaigns } from '../clients/campaigns.ts';
import type { Transact } from '../transact.ts';
import type { AssistantStore } from './assistants.store.ts';
import { concurrentChange } from './concurrent-change.ts';

type DeleteDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  campaigns: Campaigns;
};

/** A retirement lasts 60 seconds; a transaction may take 10. Real time. */
const MAX_DELAY_MS = 5_000;

/** Deletes an assistant with its tools, unless an active campaign uses it; no campaign can be created on it meanwhile [assistants.2]. */
export async function deleteAssistant(
  { transact, clock, assistants, campaigns }: DeleteDeps,
  { workspaceId, id, requestId, by }: { workspaceId: string; id: string; requestId: string; by: ChangedBy },
): Promise<void> {
  if (!(await assistants.exists(workspaceId, id))) throw notFound('Assistant');
  const calledMs = monotonicMs();
  const { blocker, lift } = await campaigns.retireAssistant(id, { workspaceId, requestId });
  if (blocker) throw conflict(`The campaign "${blocker.name}" (${blocker.status}) uses the assistant`);
  const deletion = transact(async (tx) => {
    const held = await assistants.lock(tx, workspaceId, id);
    if (!held) throw notFound('Assistant');
    if (monotonicMs() - calledMs > MAX_DELAY_MS) throw concurrentChange();
    await assistants.remove(tx, workspaceId, held.id);
    const at = clock.now();
    const target = { type: 'assistant', id: held.id, name: held.agentName };
    await recordAudit(tx, by, { action: 'assistant.deleted', target, at });
    await enqueue(tx, {
      type: 'assistant.deleted',
      workspaceId,
      requestId,
      occurredAt: at,
      data: { agent_id: held.id, version: held.version + 1 },
    });
  });
  await deletion.catch(async (err) => {
    // Our own errors were rolled back for certain; after any other error the commit may have succeeded.
    if (err instanceof AppError && err.code !== 'NOT_FOUND') await lift();
    throw err;
  });
}
