import { walkPhoneNumbers } from '@parley/contracts';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import type { NumberLink } from '../numbers/number-links.store.ts';

export type Numbers = ReturnType<typeof createNumbers>;

export function createNumbers(peer: ServiceClient) {
  return {
    /** The phone numbers of all workspaces with ids above `after`, up to and including `upTo`, in order. */
    walk: async ({
      after,
      upTo,
      limit,
    }: {
      after: string | null;
      upTo: string | null;
      limit: number;
    }): Promise<NumberLink[]> => {
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
