import { getAssistantBriefs } from '@parley/contracts';
import type { CallContext, ServiceClient } from '@parley/kit/http';

export type Assistants = { exists(agentId: string, context: CallContext): Promise<boolean> };

export function createAssistants(client: ServiceClient): Assistants {
  return {
    exists: async (agentId, context) => {
      const briefs = await client.call(getAssistantBriefs, { body: { agent_ids: [agentId] } }, context);
      return briefs.length > 0;
    },
  };
}
