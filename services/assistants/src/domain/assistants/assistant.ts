import type { assistant as answer, MessageData } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';

export type Assistant = {
  id: string;
  workspaceId: string;
  agentName: string;
  agentType: string;
  /** Whole, with defaults. */
  config: JsonObject;
  /** Rises with every change, those of its tools included. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
};

/** The shape that create, get and update answer with (spec: PATCH /v1/assistant). */
export function toAssistantAnswer(assistant: Assistant): z.output<typeof answer> {
  const { id, agentName, agentType, config, updatedAt } = assistant;
  return { id, agent_name: agentName, agent_type: agentType, config, updated_at: toIsoMillis(updatedAt) };
}

/** What others copy of it. */
export function toAssistantBrief(assistant: Assistant): MessageData<'assistant.updated'> {
  const { id, agentName, version, config } = assistant;
  return { agent_id: id, agent_name: agentName, version, webhook_url: webhookUrlOf(config) };
}

/** The tools in use, in order. */
export function toolIdsOf(config: JsonObject): string[] {
  return Array.isArray(config.toolIds) ? config.toolIds : [];
}

function webhookUrlOf({ settings }: JsonObject): string | null {
  const url = isJsonObject(settings) ? ownValue(settings, 'webhookUrl') : undefined;
  return typeof url === 'string' ? url : null;
}
