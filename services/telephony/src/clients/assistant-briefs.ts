import { getAssistantBriefs } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import type { AssistantBrief, AssistantBriefs } from './ports.ts';

export function createAssistantBriefs(peer: ServiceClient): AssistantBriefs {
  return {
    find: async (workspaceId, agentIds) => {
      if (agentIds.length === 0) return new Map();
      const body = { agent_ids: [...agentIds] };
      const found = await peer.call(getAssistantBriefs, { body }, { workspaceId });
      const briefs = found.map(
        (brief): AssistantBrief => ({
          agentId: brief.agent_id,
          agentName: brief.agent_name,
          version: brief.version,
          webhookUrl: brief.webhook_url,
        }),
      );
      return new Map(briefs.map((brief) => [brief.agentId, brief]));
    },
  };
}
