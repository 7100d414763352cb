import type { assistant as answer, MessageData } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';
import { maskedWebhookSecretOf } from '../secrets/webhook-secret.ts';

/** The field with the receiver of an assistant's webhooks. */
export const WEBHOOK_URL_FIELD = 'config.settings.webhookUrl';

export type Assistant = {
  id: string;
  workspaceId: string;
  agentName: string;
  agentType: string;
  /** Complete, with defaults. */
  config: JsonObject;
  /** Null: the workspace secret signs its webhooks. */
  sealedWebhookSecret: string | null;
  /** Incremented by every change, including changes of its tools. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
};

/** The response of create, get and update [assistants.3]. */
export function toAssistantResponse(assistant: Assistant): z.output<typeof answer> {
  const { id, agentName, agentType, config, sealedWebhookSecret, updatedAt } = assistant;
  return {
    id,
    agent_name: agentName,
    agent_type: agentType,
    config,
    webhook_secret: maskedWebhookSecretOf(sealedWebhookSecret),
    updated_at: toIsoMillis(updatedAt),
  };
}

/** The part that other services copy. */
export function toAssistantBrief(assistant: Assistant): MessageData<'assistant.updated'> {
  const { id, agentName, version, config } = assistant;
  return { agent_id: id, agent_name: agentName, version, webhook_url: webhookUrlOf(config) };
}

/** Ids of the tools in use, in order. */
export function toolIdsOf(config: JsonObject): string[] {
  return Array.isArray(config.toolIds) ? config.toolIds : [];
}

export function webhookUrlOf({ settings }: JsonObject): string | null {
  const url = isJsonObject(settings) ? ownValue(settings, 'webhookUrl') : undefined;
  return typeof url === 'string' ? url : null;
}
