import { getAssistantBriefs } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import type { Assistants } from '../domain/ports.ts';

export function createAssistants(peer: Peer): Assistants {
  return {
    exists: async (agentId, asker) => {
      const briefs = await peer.call(getAssistantBriefs, { body: { agent_ids: [agentId] } }, asker);
      return briefs.length > 0;
    },
  };
}
