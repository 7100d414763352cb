import type { getAssistantSnapshot as contract, QueryOf, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { SecretBox } from '@parley/kit/secrets';
import { toSnapshotTool } from '../tools/snapshot-tool.ts';
import { toAssistantBrief, toolIdsOf } from './assistant.ts';
import type { AssistantStore } from './ports.ts';

export type SnapshotDeps = { assistants: AssistantStore; secrets: Pick<SecretBox, 'open'> };

type Input = { workspaceId: string; id: string; query: QueryOf<typeof contract> };

/** All that a call needs: the configuration and the tools in use, secrets opened. Null for who has this version. */
export async function getSnapshot(
  { assistants, secrets }: SnapshotDeps,
  { workspaceId, id, query }: Input,
): Promise<ResponseOf<typeof contract>> {
  const known = query.known_version;
  if (known !== undefined && (await assistants.findVersion(workspaceId, id)) === known) {
    return { version: known, snapshot: null };
  }
  const found = await assistants.findWithTools(workspaceId, id);
  if (!found) throw notFound('Assistant');
  const { assistant, tools } = found;
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const inUse = toolIdsOf(assistant.config).flatMap((toolId) => byId.get(toolId) ?? []);
  const snapshot = {
    ...toAssistantBrief(assistant),
    agent_type: assistant.agentType,
    config: assistant.config,
    tools: inUse.map((tool) => toSnapshotTool(tool, secrets)),
  };
  return { version: assistant.version, snapshot };
}
