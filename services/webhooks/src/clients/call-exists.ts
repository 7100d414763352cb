import { getCall } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Peer } from '@parley/kit/http';
import type { CallExists } from '../domain/events/call-webhooks.ts';

export function createCallExists(telephony: Peer): CallExists {
  return async (workspaceId, callId) => {
    try {
      await telephony.call(getCall, { params: { id: callId } }, { workspaceId });
      return true;
    } catch (err) {
      if (err instanceof AppError && err.code === 'NOT_FOUND') return false;
      throw err;
    }
  };
}
