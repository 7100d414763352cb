import { AppError } from '@parley/kit/errors';
import type { AssistantBrief, AssistantBriefs } from '../clients/ports.ts';
import type { AgentCopies } from './ports.ts';

export type FindAgentsDeps = { briefs: AssistantBriefs; copies: AgentCopies };

/**
 * The given assistants that exist in the workspace, by id in lower case. Calls assistants; while it is unavailable, uses the
 * local copies if they contain all of them.
 */
export async function findAgents(
  { briefs, copies }: FindAgentsDeps,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<Map<string, AssistantBrief>> {
  const ids = [...new Set(agentIds.map((id) => id.toLowerCase()))];
  try {
    return await briefs.find(workspaceId, ids);
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'SERVICE_UNAVAILABLE') throw err;
    const known = await copies.find(workspaceId, ids);
    if (known.size < ids.length) throw err;
    return known;
  }
}
