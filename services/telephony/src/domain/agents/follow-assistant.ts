import type { Message } from '@parley/contracts';
import { once } from '@parley/kit/inbox';
import type { ChangeDeps } from '../numbers/change-number.ts';
import { unassignAgent } from '../numbers/unassign-agent.ts';
import type { Transact } from '../ports.ts';
import type { AgentCopies } from './ports.ts';

export type FollowDeps = ChangeDeps & { transact: Transact; copies: AgentCopies };

/** Keeps the copy of what an assistant is called; a lower version than the copy's changes nothing. */
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

/** Numbers that name a deleted assistant are unassigned, and it is not dialled for again (D3.1). Calls stay. */
export async function forgetAssistant(
  deps: FollowDeps,
  { id, workspace_id: workspaceId, request_id: requestId, data }: Message<'assistant.deleted'>,
): Promise<void> {
  await deps.transact(async (tx) => {
    if (!(await once(tx, 'forget assistant', id))) return;
    const { agent_id: agentId, version } = data;
    await deps.copies.bury(tx, workspaceId, { agentId, version, at: deps.clock.now() });
    await unassignAgent(tx, deps, { workspaceId, agentId, requestId });
  });
}
