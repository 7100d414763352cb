import type { Assistant } from '../domain/assistants/assistant.ts';
import type { AssistantSummary } from '../domain/assistants/ports.ts';

export type AssistantRow = {
  id: string;
  workspace_id: string;
  agent_name: string;
  agent_type: string;
  config: string;
  version: number;
  created_at: Date;
  updated_at: Date;
};

/** The document travels as text: drivers would build it by their own parser. */
export const ASSISTANT_COLUMNS =
  'a.id, a.workspace_id, a.agent_name, a.agent_type, a.config::text AS config, a.version, a.created_at, a.updated_at';

export function toAssistant(row: AssistantRow): Assistant {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    agentName: row.agent_name,
    agentType: row.agent_type,
    config: JSON.parse(row.config),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type SummaryRow = {
  total: number;
  /** Null in the one row of an empty page, which only tells the total. */
  id: string | null;
  agent_name: string;
  updated_at: Date;
  system_prompt: string;
  voice: string;
  inbound_phone_number: string | null;
  outbound_phone_number: string | null;
};

export function toSummary(row: SummaryRow & { id: string }): AssistantSummary {
  return {
    id: row.id,
    agentName: row.agent_name,
    updatedAt: row.updated_at,
    systemPrompt: row.system_prompt,
    voice: JSON.parse(row.voice),
    inboundPhoneNumber: row.inbound_phone_number,
    outboundPhoneNumber: row.outbound_phone_number,
  };
}
