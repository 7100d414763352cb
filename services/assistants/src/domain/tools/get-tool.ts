import type { ToolDeps } from './deps.ts';
import { findTool } from './hold-tool.ts';
import { toToolAnswer } from './tool.ts';

export async function getTool(
  deps: Pick<ToolDeps, 'tools'>,
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toToolAnswer>> {
  return toToolAnswer(await findTool(deps, { workspaceId, id }));
}
