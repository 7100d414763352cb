import type { BodyOf, listTools as contract } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type ListAnswer, toListPage } from '@parley/kit/http';
import type { AssistantStore } from '../assistants/ports.ts';
import type { ToolStore } from './ports.ts';
import { toToolAnswer } from './tool.ts';

/** One assistant's tools, newest first (spec: POST /v1/tool/list). */
export async function listTools(
  { assistants, tools }: { assistants: AssistantStore; tools: ToolStore },
  workspaceId: string,
  { agent_id: agentId, page, size, search, is_native }: BodyOf<typeof contract>,
): Promise<ListAnswer<ReturnType<typeof toToolAnswer>>> {
  if (!(await assistants.exists(workspaceId, agentId))) throw notFound('Assistant');
  const wanted = { search, limit: size, offset: (page - 1) * size, nativeOnly: is_native === true };
  const { items, total } = await tools.page(workspaceId, agentId, wanted);
  return toListPage({ page, size }, { items: items.map(toToolAnswer), total });
}
