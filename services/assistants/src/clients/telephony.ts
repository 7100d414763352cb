import { walkPhoneNumbers } from '@parley/contracts';
import { NO_WORKSPACE, type Peer } from '@parley/kit/http';
import type { Numbers } from '../domain/numbers/ports.ts';

export function createNumbers(peer: Peer): Numbers {
  return {
    walk: async ({ after, upTo, limit }) => {
      const body = { after, up_to: upTo, limit };
      const found = await peer.call(walkPhoneNumbers, { body }, { workspaceId: NO_WORKSPACE });
      return found.map((number) => ({
        phoneNumberId: number.phone_number_id,
        workspaceId: number.workspace_id,
        phoneNumber: number.phone_number,
        inboundAgentId: number.inbound_agent_id,
        outboundAgentId: number.outbound_agent_id,
        version: number.version,
      }));
    },
  };
}
