import { api } from '../../app/client.ts';
import type { Tool } from './queries.ts';

/** A copy, and the tools of it that lack their secrets: those are never returned, so they can't be copied. */
export async function duplicateAssistant(id: string): Promise<{ id: string; toolsWithoutSecrets: string[] }> {
  const { agent_name, agent_type, config } = await api.assistants.get(id);
  const { toolIds: used = [], ...rest } = config as { toolIds?: string[] };
  const name = `${agent_name.slice(0, MAX_NAME)} (copy)`;
  const made = await api.assistants.create({ agent_name: name, agent_type, config: rest });
  const tools: Tool[] = [];
  for await (const tool of api.tools.list({ agent_id: id, size: 100 })) tools.push(tool);
  const custom = tools.filter(({ is_native }) => is_native !== true).reverse();
  const unused: string[] = [];
  for (const tool of custom) {
    const copy = await api.tools.createCustom(copyOf(tool, made.id));
    if (!used.includes(tool.id)) unused.push(copy.id);
  }
  if (unused.length > 0) {
    const { config: now } = await api.assistants.get(made.id);
    const { toolIds = [] } = now as { toolIds?: string[] };
    await api.assistants.update(made.id, {
      config: { toolIds: toolIds.filter((toolId) => !unused.includes(toolId)) },
    });
  }
  const toolsWithoutSecrets = custom.filter(hasSecrets).map(({ tool_name }) => tool_name);
  return { id: made.id, toolsWithoutSecrets };
}

const MAX_NAME = 240;

function hasSecrets({ headers, webhook_secret }: Tool): boolean {
  return Object.keys(headers ?? {}).length > 0 || webhook_secret !== null;
}

function copyOf(tool: Tool, agentId: string) {
  const { tool_name, description, endpoint_url, http_method, parameters, timeout_seconds } = tool;
  const { tool_behavior, result_scheduling } = tool;
  return {
    agent_id: agentId,
    tool_name,
    description,
    endpoint_url,
    http_method,
    parameters,
    timeout_seconds: timeout_seconds ?? 30,
    tool_behavior,
    result_scheduling,
  };
}
