import { getAssistantWebhookSecrets, type SigningSecret } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { ServiceClient } from '@parley/kit/http';
import { activeSecrets } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import type { WorkspaceSecrets } from './workspace-secrets.ts';

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

type Known = { version: number; secrets: SigningSecret[] };

type Deps = {
  assistants: ServiceClient;
  ofWorkspace: WorkspaceSecrets;
  /** Stores that an assistant has no secret of its own, so that no process has to call assistants for this version again. */
  noteNoSecret(agentId: string, version: number): Promise<void>;
  clock: Clock;
};

/**
 * An assistant's own secrets, or else the workspace's [webhooks.7]. They change with the assistant's version, so assistants
 * is called once per version. While it can't be called, nothing is signed for versions that are not known: the
 * workspace's secret must not sign for a receiver with a secret of its own.
 */
export function createSigningSecrets(deps: Deps, maxAssistants = MAX_ASSISTANTS): SigningSecrets {
  const { assistants, ofWorkspace, noteNoSecret, clock } = deps;
  const known = new Map<string, Known>();
  const loading = new Map<string, Promise<SigningSecret[]>>();

  const remember = (agentId: string, own: Known): void => {
    known.delete(agentId);
    known.set(agentId, own);
    const [oldest] = known.keys();
    if (known.size > maxAssistants && oldest !== undefined) known.delete(oldest);
  };

  const load = async (workspaceId: string, agentId: string): Promise<SigningSecret[]> => {
    const body = { agent_ids: [agentId] };
    const [found] = await assistants.call(getAssistantWebhookSecrets, { body }, { workspaceId });
    // The message that removes its URL will arrive soon.
    if (!found) throw new AppError('SERVICE_UNAVAILABLE', 'The assistant has just been deleted');
    const { version, webhook_secrets: secrets } = found;
    remember(agentId, { version, secrets });
    if (secrets.length === 0) await noteNoSecret(agentId, version);
    return secrets;
  };

  const ownSecrets = async (target: WebhookTarget): Promise<SigningSecret[]> => {
    const { workspaceId, agentId, version, usesWorkspaceSecret } = target;
    if (agentId === null || usesWorkspaceSecret) return [];
    const last = known.get(agentId);
    if (last && last.version >= version) {
      remember(agentId, last);
      return last.secrets;
    }
    const key = `${agentId}:${version}`;
    const promise = loading.get(key) ?? load(workspaceId, agentId).finally(() => loading.delete(key));
    loading.set(key, promise);
    return promise;
  };

  return async (target) => {
    const own = await ownSecrets(target);
    return own.length > 0 ? activeSecrets(own, clock.now()) : ofWorkspace(target.workspaceId);
  };
}
