import { getAssistantWebhookSecrets, getWorkspaceSettings, type SigningSecret } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { AppError } from '@parley/kit/errors';
import type { ServiceClient } from '@parley/kit/http';
import { activeSecrets } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';

/** An assistant's endpoint as of a version, or without an assistant any URL of the workspace. */
export type WebhookTarget = {
  workspaceId: string;
  agentId: string | null;
  version: number;
  /** Whether this version is known to have no secret of its own. */
  usesWorkspaceSecret: boolean;
};

/** The signing secrets of a target. Rejects while they are not available. */
export type SigningSecrets = (target: WebhookTarget) => Promise<string[]>;

const MAX_ASSISTANTS = 50_000;
const MAX_WORKSPACES = 10_000;
/** A rotated secret of a workspace signs after a real second at the latest. */
const WORKSPACE_TTL_MS = 1_000;

type Deps = {
  assistants: ServiceClient;
  gateway: ServiceClient;
  /** Stores that an assistant has no secret of its own, so that no process has to call assistants for this version again. */
  noteNoSecret(agentId: string, version: number): Promise<void>;
  clock: Clock;
};

/**
 * An assistant's own secrets, or else the workspace's [webhooks.7]. They change with the assistant's version, so assistants
 * is called once per version. While it can't be called, nothing is signed for versions that are not known: the
 * workspace's secret must not sign for a receiver with a secret of its own. While the gateway can't be called, the last
 * known secrets of the workspace sign.
 */
export function createSigningSecrets({ assistants, gateway, noteNoSecret, clock }: Deps): SigningSecrets {
  const ofAssistants = createLoadingCache<string, { version: number; secrets: SigningSecret[] }>({
    load: async (key) => {
      const [workspaceId, agentId] = key.split(' ') as [string, string];
      const body = { agent_ids: [agentId] };
      const [found] = await assistants.call(getAssistantWebhookSecrets, { body }, { workspaceId });
      // The message that removes its URL will arrive soon.
      if (!found) throw new AppError('SERVICE_UNAVAILABLE', 'The assistant has just been deleted');
      const { version, webhook_secrets: secrets } = found;
      if (secrets.length === 0) await noteNoSecret(agentId, version);
      return { version, secrets };
    },
    maxEntries: MAX_ASSISTANTS,
    ttlMs: Number.POSITIVE_INFINITY,
  });
  const ofWorkspaces = createLoadingCache<string, string[]>({
    load: async (workspaceId) => {
      const input = { params: { id: workspaceId } };
      return (await gateway.call(getWorkspaceSettings, input, { workspaceId })).webhook_secrets;
    },
    maxEntries: MAX_WORKSPACES,
    ttlMs: WORKSPACE_TTL_MS,
    staleOnErrorMs: Number.POSITIVE_INFINITY,
  });

  return async ({ workspaceId, agentId, version, usesWorkspaceSecret }) => {
    if (agentId === null || usesWorkspaceSecret) return ofWorkspaces.get(workspaceId);
    const own = await ofAssistants.get(`${workspaceId} ${agentId}`, (known) => known.version >= version);
    return own.secrets.length > 0 ? activeSecrets(own.secrets, clock.now()) : ofWorkspaces.get(workspaceId);
  };
}
