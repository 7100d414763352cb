import { notFound, validationFailed } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import type { OutboundAllowance } from '@parley/kit/outbound';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { Assistant } from '../assistants/assistant.ts';
import { type LockDeps, withLockedAssistant } from '../assistants/lock-assistant.ts';
import type { Tx } from '../transact.ts';
import type { ParameterCheck } from './parameter-check.ts';
import type { Tool } from './tool.ts';
import type { ToolStore } from './tools.store.ts';

/** Dependencies of the use cases of tools. */
export type ToolDeps = LockDeps & {
  clock: Clock;
  tools: ToolStore;
  secrets: Pick<SecretBox, 'seal' | 'open'>;
  /** Non-public addresses that the operator allows for tools [webhooks.21]. */
  allowed: OutboundAllowance;
  checkParameters: ParameterCheck;
  /** Maximum tools of an assistant; native ones count, but are never refused. */
  maxTools: number;
  /** Maximum size of all tools of an assistant. */
  maxToolsKib: number;
};

/** The context of a request that changes a tool. */
export type ToolRequest = { workspaceId: string; id: string; requestId: string; by: ChangedBy };

/** Throws `NOT_FOUND`, also for a tool of the other kind [tools.5]. */
export async function findTool(
  { tools }: Pick<ToolDeps, 'tools'>,
  { workspaceId, id }: { workspaceId: string; id: string },
  isKind: (tool: Tool) => boolean = () => true,
): Promise<Tool> {
  const tool = await tools.find(workspaceId, id);
  if (!tool || !isKind(tool)) throw notFound('Tool');
  return tool;
}

/**
 * Throws if the assistant has too many tools, or too large ones, after a change [tools.10]. Each live call holds the tools of its
 * assistant. Native tools count, but are never refused.
 */
export async function checkToolLimits(
  tx: Tx,
  { tools, maxTools, maxToolsKib }: ToolDeps,
  { workspaceId, id }: Assistant,
): Promise<void> {
  const { count, bytes } = await tools.usage(tx, workspaceId, id);
  const refuse = (most: string): never => {
    const message = `agent_id names an assistant that would have more than ${most}`;
    throw validationFailed([{ path: 'agent_id', code: 'too_big', message }]);
  };
  if (count > maxTools) refuse(`${maxTools} tools`);
  if (bytes > maxToolsKib * 1024) refuse(`${maxToolsKib} KiB of tools`);
}

/**
 * Runs `work` in a transaction that locks the assistant, then the tool; all changes lock in this order, which avoids
 * deadlocks. `NOT_FOUND` if the tool was deleted meanwhile.
 */
export function withLockedTool<R>(
  deps: ToolDeps,
  { workspaceId, agentId, id }: Tool,
  work: (tx: Tx, assistant: Assistant, tool: Tool) => Promise<R>,
): Promise<R> {
  return withLockedAssistant(deps, { workspaceId, id: agentId }, async (tx, assistant) => {
    const tool = await deps.tools.lock(tx, workspaceId, id);
    if (!tool) throw notFound('Tool');
    return work(tx, assistant, tool);
  });
}
