import { recordAudit } from '@parley/kit/audit';
import type { ChangedBy } from '@parley/kit/http';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { maskedWebhookSecretOf } from '../secrets/webhook-secret.ts';
import type { Tx } from '../transact.ts';
import { type Assistant, toAssistantBrief } from './assistant.ts';
import type { AssistantStore } from './assistants.store.ts';

type AssistantChange = Partial<Pick<Assistant, 'agentName' | 'agentType' | 'config' | 'sealedWebhookSecret'>>;

type Deps = { assistants: AssistantStore; clock: Clock };

/** Changes an assistant that the transaction has locked. */
export async function changeAssistant(
  tx: Tx,
  deps: Deps,
  held: Assistant,
  change: AssistantChange,
  requestId: string,
): Promise<Assistant> {
  const [changed = held] = await changeAssistants(tx, deps, [held], () => change, requestId);
  return changed;
}

/** Changes assistants that the transaction has locked: increments their versions and publishes them. */
export async function changeAssistants(
  tx: Tx,
  { assistants, clock }: Deps,
  held: readonly Assistant[],
  change: (assistant: Assistant) => AssistantChange,
  requestId: string,
): Promise<Assistant[]> {
  const updatedAt = clock.now();
  const changed = held.map((assistant) => ({
    ...assistant,
    ...change(assistant),
    version: assistant.version + 1,
    updatedAt,
  }));
  await assistants.save(tx, changed);
  await announceAssistants(tx, changed, requestId);
  return changed;
}

/** Publishes the current state of assistants. */
export async function announceAssistants(
  tx: Tx,
  assistants: readonly Assistant[],
  requestId: string,
): Promise<void> {
  const messages = assistants.map((assistant) => ({
    type: 'assistant.updated' as const,
    workspaceId: assistant.workspaceId,
    requestId,
    occurredAt: assistant.updatedAt,
    data: toAssistantBrief(assistant),
  }));
  await enqueue(tx, messages);
}

/** Records in the audit log that an assistant's own secret was set, replaced or removed [trust.17]. */
export async function recordWebhookSecret(
  tx: Tx,
  by: ChangedBy,
  before: string | null,
  after: Assistant,
): Promise<void> {
  if (before === after.sealedWebhookSecret) return;
  const changes = {
    webhook_secret: {
      from: maskedWebhookSecretOf(before),
      to: maskedWebhookSecretOf(after.sealedWebhookSecret),
    },
  };
  const target = { type: 'assistant', id: after.id, name: after.agentName };
  await recordAudit(tx, by, { action: 'assistant.updated', target, changes, at: after.updatedAt });
}
