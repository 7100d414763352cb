import type { Message } from '@parley/contracts';
import { once } from '@parley/kit/inbox';
import type { AgentCopies } from '../assistants/ports.ts';
import type { Transact } from '../clients/ports.ts';
import { type ChangeDeps, unassignAgent } from './change-number.ts';

export type FollowDeps = ChangeDeps & { transact: Transact; copies: AgentCopies };

/** Updates the local copy of an assistant; an older version is ignored. */
export async function copyAssistant(
  { transact, copies }: FollowDeps,
  { workspace_id: workspaceId, data }: Message<'assistant.updated'>,
): Promise<void> {
  await transact((tx) =>
    copies.remember(tx, workspaceId, {
      agentId: data.agent_id,
      agentName: data.agent_name,
      version: data.version,
      webhookUrl: data.webhook_url,
    }),
  );
}

/** Removes a deleted assistant from its numbers and from dialing; its calls stay [assistants.2]. */
export async function forgetAssistant(
  deps: FollowDeps,
  { id, workspace_id: workspaceId, request_id: requestId, data }: Message<'assistant.deleted'>,
): Promise<void> {
  await deps.transact(async (tx) => {
    if (!(await once(tx, 'forget assistant', id))) return;
    const { agent_id: agentId, version } = data;
    await deps.copies.markDeleted(tx, workspaceId, { agentId, version, at: deps.clock.now() });
    await unassignAgent(tx, deps, { workspaceId, agentId, requestId });
  });
}
