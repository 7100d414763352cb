import type { AssistantBrief, Transact } from '../clients/ports.ts';
import { type FindAgentsDeps, findAgents } from './find-agents.ts';

export type AgentOfCallDeps = FindAgentsDeps & { transact: Transact };

/**
 * The assistant of a new call, whose local copy is updated if it is older; the id is in lower case. Undefined if the workspace has no such
 * assistant, or if it is known to be deleted.
 */
export async function findAgentOfCall(
  deps: AgentOfCallDeps,
  workspaceId: string,
  agentId: string,
): Promise<AssistantBrief | undefined> {
  const { copies, transact } = deps;
  const [found, copied] = await Promise.all([
    findAgents(deps, workspaceId, [agentId]),
    copies.find(workspaceId, [agentId]),
  ]);
  const brief = found.get(agentId);
  const copy = copied.get(agentId);
  if (!brief || (copy && copy.version >= brief.version)) return brief;
  const isKept = await transact((tx) => copies.remember(tx, workspaceId, brief));
  return isKept ? brief : undefined;
}
