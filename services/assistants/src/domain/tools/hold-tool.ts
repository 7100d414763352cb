import type { Sql } from '@parley/kit/db';
import { notFound } from '@parley/kit/errors';
import type { Assistant } from '../assistants/assistant.ts';
import { holdAssistant } from '../assistants/hold-assistant.ts';
import type { ToolDeps } from './deps.ts';
import type { Tool } from './tool.ts';

/** `NOT_FOUND` for a tool of the other kind too: each kind has its own route (D4.1). */
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
 * Runs `work` in a transaction that holds the tool, and its assistant before it: whoever changes either waits for the
 * other in that order, so none waits in a circle. `NOT_FOUND` when the tool went meanwhile.
 */
export function holdTool<R>(
  deps: ToolDeps,
  { workspaceId, agentId, id }: Tool,
  work: (tx: Sql, assistant: Assistant, tool: Tool) => Promise<R>,
): Promise<R> {
  return holdAssistant(deps, { workspaceId, id: agentId }, async (tx, assistant) => {
    const tool = await deps.tools.hold(tx, workspaceId, id);
    if (!tool) throw notFound('Tool');
    return work(tx, assistant, tool);
  });
}
