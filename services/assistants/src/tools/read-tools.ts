import type { BodyOf, listTools as contract, listWorkspaceTools as ofAll, QueryOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type StreamedList, toListPage } from '@parley/kit/http';
import type { AssistantStore } from '../assistants/assistants.store.ts';
import { findTool, type ToolDeps } from './lock-tool.ts';
import type { Tool } from './tool.ts';
import { toToolResponse } from './tool-response.ts';
import type { NamedTool, ToolStore } from './tools.store.ts';

export async function getTool(
  deps: Pick<ToolDeps, 'tools'>,
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toToolResponse>> {
  return toToolResponse(await findTool(deps, { workspaceId, id }));
}

type Item = ReturnType<typeof toToolResponse>;

/** One assistant's tools, newest first [tools.4]. */
export async function listTools(
  { assistants, tools }: { assistants: AssistantStore; tools: ToolStore },
  workspaceId: string,
  { agent_id: agentId, page, size, search, is_native }: BodyOf<typeof contract>,
): Promise<StreamedList<Item>> {
  if (!(await assistants.exists(workspaceId, agentId))) throw notFound('Assistant');
  const wanted = { search, limit: size, offset: (page - 1) * size, nativeOnly: is_native === true };
  const { items, total } = await tools.page(workspaceId, agentId, wanted);
  return toListPage({ page, size }, { items: toItems(items), total });
}

async function* toItems(tools: AsyncIterable<Tool>): AsyncGenerator<Item> {
  for await (const tool of tools) yield toToolResponse(tool);
}

type NamedItem = Item & { agent_name: string };

/** The tools of all assistants, newest first [tools.26]. */
export async function listWorkspaceTools(
  { tools }: { tools: ToolStore },
  workspaceId: string,
  wanted: QueryOf<typeof ofAll>,
): Promise<StreamedList<NamedItem>> {
  const { items, total } = await tools.pageOfAll(workspaceId, wanted);
  const next = wanted.offset + wanted.limit;
  return { items: withNames(items), total, nextCursor: next < total ? String(next) : null };
}

async function* withNames(tools: AsyncIterable<NamedTool>): AsyncGenerator<NamedItem> {
  for await (const tool of tools) yield { ...toToolResponse(tool), agent_name: tool.agentName };
}
