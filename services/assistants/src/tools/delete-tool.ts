import { recordAudit } from '@parley/kit/audit';
import { changeAssistant } from '../assistants/change-assistant.ts';
import type { ToolDeps, ToolRequest } from './lock-tool.ts';
import { findTool, withLockedTool } from './lock-tool.ts';
import { withoutTool } from './tool-in-config.ts';

/** Deletes a tool and removes it from the assistant's configuration [tools.3]. */
export async function deleteTool(deps: ToolDeps, request: ToolRequest): Promise<void> {
  const found = await findTool(deps, request);
  await withLockedTool(deps, found, async (tx, assistant, tool) => {
    await deps.tools.remove(tx, tool.workspaceId, tool.id);
    const target = { type: 'tool', id: tool.id, name: tool.toolName };
    await recordAudit(tx, request.by, { action: 'tool.deleted', target, at: deps.clock.now() });
    const config = withoutTool(assistant.config, tool);
    await changeAssistant(tx, deps, assistant, { config }, request.requestId);
  });
}
