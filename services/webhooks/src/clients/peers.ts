import { getCall, getWorkspaceSettings } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Peer } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { SigningSecrets } from '../domain/delivery/ports.ts';
import type { CallExists } from '../domain/events/call-webhooks.ts';

/** A rotated secret signs a real second later. */
const FRESH_MS = 1_000;

/** Asks the gateway at most once a second per workspace; while it is away the last known secrets sign on. */
export function createSigningSecrets(gateway: Peer): SigningSecrets {
  const known = new Map<string, { secrets: string[]; askedMs: number }>();
  return async (workspaceId) => {
    const last = known.get(workspaceId);
    if (last && monotonicMs() - last.askedMs < FRESH_MS) return last.secrets;
    try {
      const settings = await gateway.call(
        getWorkspaceSettings,
        { params: { id: workspaceId } },
        { workspaceId },
      );
      known.set(workspaceId, { secrets: settings.webhook_secrets, askedMs: monotonicMs() });
      return settings.webhook_secrets;
    } catch (err) {
      if (last) return last.secrets;
      throw err;
    }
  };
}

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
