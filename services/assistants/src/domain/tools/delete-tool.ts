import { changeAssistant } from '../assistants/change-assistant.ts';
import type { ToolDeps, ToolRequest } from './deps.ts';
import { findTool, holdTool } from './hold-tool.ts';
import { withoutTool } from './tool-in-config.ts';

/** Deletes a tool of either kind, and takes it out of its assistant's use (spec: Tools, Side effects on the assistant). */
export async function deleteTool(deps: ToolDeps, request: ToolRequest): Promise<void> {
  const found = await findTool(deps, request);
  await holdTool(deps, found, async (tx, assistant, tool) => {
    await deps.tools.remove(tx, tool.workspaceId, tool.id);
    const config = withoutTool(assistant.config, tool);
    await changeAssistant(tx, deps, assistant, { config }, request.requestId);
  });
}
