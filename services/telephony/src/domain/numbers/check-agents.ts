import type { ErrorDetail } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import { validationFailed } from '@parley/kit/errors';
import { type FindAgentsDeps, findAgents } from '../agents/find-agents.ts';
import type { AgentCopies } from '../agents/ports.ts';
import type { AssistantBrief } from '../ports.ts';

export type AgentFields = {
  inbound_agent_id?: string | null | undefined;
  outbound_agent_id?: string | null | undefined;
};

const FIELDS = ['inbound_agent_id', 'outbound_agent_id'] as const;

/** The assistants that the fields name; one that is not of the workspace is 422 (D5.2). */
export async function checkAgents(
  deps: FindAgentsDeps,
  workspaceId: string,
  fields: AgentFields,
): Promise<AssistantBrief[]> {
  const named = FIELDS.flatMap((path) => (fields[path] ? [{ path, id: fields[path].toLowerCase() }] : []));
  if (named.length === 0) return [];
  const found = await findAgents(
    deps,
    workspaceId,
    named.map(({ id }) => id),
  );
  const unknown = named.filter(({ id }) => !found.has(id));
  if (unknown.length > 0) throw validationFailed(unknown.map(({ path }) => unknownAgent(path)));
  return [...found.values()];
}

/** Keeps what was found, for its names; an assistant that was deleted meanwhile is 422 after all. */
export async function rememberAgents(
  tx: Sql,
  copies: AgentCopies,
  workspaceId: string,
  agents: readonly AssistantBrief[],
  fields: AgentFields,
): Promise<void> {
  for (const agent of [...agents].sort((a, b) => (a.agentId < b.agentId ? -1 : 1))) {
    if (await copies.remember(tx, workspaceId, agent)) continue;
    const gone = FIELDS.filter((path) => fields[path]?.toLowerCase() === agent.agentId);
    throw validationFailed(gone.map(unknownAgent));
  }
}

function unknownAgent(path: string): ErrorDetail {
  return { path, code: 'unknown_id', message: `${path} must be an assistant of this workspace` };
}
