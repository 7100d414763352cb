import { getCall, listRemovalCalls } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
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
      try {
        return (await peer.call(getCall, { params: { id: callId } }, { workspaceId })).agent_id;
      } catch (err) {
        if (err instanceof AppError && err.code === 'NOT_FOUND') return undefined;
        throw err;
      }
    },
    removedCalls: async ({ removalId, workspaceId }, after) => {
      const input = { params: { id: removalId }, query: { after } };
      const { call_ids: callIds, next } = await peer.call(listRemovalCalls, input, { workspaceId });
      return { callIds, next };
    },
  };
}
