import { getCall, listRemovalCalls } from '@parley/contracts';
import { unlessNotFound } from '@parley/kit/errors';
import type { ServiceClient } from '@parley/kit/http';

/** Data of calls, read from telephony. */
export type Telephony = {
  /** The assistant of a call; undefined: the workspace has no such call. */
  agentOfCall(workspaceId: string, callId: string): Promise<string | undefined>;
  /** The calls that an erasure has removed, page by page. */
  removedCalls(
    target: { removalId: string; workspaceId: string },
    after: number,
  ): Promise<{ callIds: string[]; next: number | null }>;
};

export function createTelephony(peer: ServiceClient): Telephony {
  return {
    agentOfCall: async (workspaceId, callId) => {
      const call = peer.call(getCall, { params: { id: callId } }, { workspaceId });
      return (await unlessNotFound(call))?.agent_id;
    },
    removedCalls: async ({ removalId, workspaceId }, after) => {
      const input = { params: { id: removalId }, query: { after } };
      const { call_ids: callIds, next } = await peer.call(listRemovalCalls, input, { workspaceId });
      return { callIds, next };
    },
  };
}
