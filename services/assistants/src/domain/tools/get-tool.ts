import { notFound } from '@parley/kit/errors';
import type { ToolStore } from './ports.ts';
import { toToolAnswer } from './tool.ts';

export async function getTool(
  { tools }: { tools: ToolStore },
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toToolAnswer>> {
  const tool = await tools.find(workspaceId, id);
  if (!tool) throw notFound('Tool');
  return toToolAnswer(tool);
}
