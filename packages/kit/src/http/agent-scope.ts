import { type AgentScope, type AnyEndpoint, agentScopeOf } from '@parley/contracts';
import { AppError, notFound } from '../errors/index.ts';
import type { Auth } from './auth.ts';

/** Resources of an assistant that the `id` of a path may name. */
type ScopedResource = Exclude<AgentScope, 'filtered' | 'free' | 'refused'>;

/** Finds the assistant of a resource: its id in lower case, or undefined if the workspace has no such resource. */
export type AgentOf = Partial<
  Record<ScopedResource, (workspaceId: string, id: string) => Promise<string | undefined>>
>;

const NOT_FOUND: Record<ScopedResource, () => AppError> = {
  assistant: () => notFound('Assistant'),
  tool: () => notFound('Tool'),
  call: () => notFound('Call'),
  campaign: () => new AppError('CAMPAIGN_NOT_FOUND', 'Campaign not found'),
};

/** Whether a request may use an assistant: yes, unless its key is limited to others. */
export function mayUseAgent({ actor }: Auth, agentId: string): boolean {
  const agentIds = actor.scope?.agentIds;
  return agentIds === undefined || agentIds.includes(agentId.toLowerCase());
}

/** An assistant that the key may not use reads as missing [trust.9]. */
export function requireAgent(auth: Auth, agentId: string): void {
  if (!mayUseAgent(auth, agentId)) throw NOT_FOUND.assistant();
}

/** The assistants whose resources a list may contain; undefined: all. */
export function agentIdsOf({ actor }: Auth): readonly string[] | undefined {
  return actor.scope?.agentIds;
}

/** Throws the same error for resources of other assistants as for those that don't exist. */
export async function requireOwnAgent(
  agentOf: AgentOf | undefined,
  endpoint: AnyEndpoint,
  auth: Auth,
  params: unknown,
): Promise<void> {
  const scope = agentScopeOf(endpoint);
  if (scope === 'filtered' || scope === 'free') return;
  const find = scope === 'refused' ? undefined : agentOf?.[scope];
  const id = (params as { id?: unknown }).id;
  // An endpoint that cannot be restricted to the key's assistants is forbidden.
  if (scope === 'refused' || !find || typeof id !== 'string') throw concernsOthers();
  const agentId = await find(auth.workspaceId, id);
  if (agentId !== undefined && !mayUseAgent(auth, agentId)) throw NOT_FOUND[scope]();
}

export function concernsOthers(): AppError {
  const message = 'This API key is limited to certain assistants; this request concerns others as well';
  return new AppError('FORBIDDEN', message);
}
