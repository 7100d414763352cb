import type { Sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { type Assistant, toAssistantBrief } from './assistant.ts';
import type { AssistantStore } from './ports.ts';

export type AssistantChange = Partial<Pick<Assistant, 'agentName' | 'agentType' | 'config'>>;

/** Changes an assistant that the transaction holds: the one place where its version rises and the others hear of it. */
export async function changeAssistant(
  tx: Sql,
  { assistants, clock }: { assistants: AssistantStore; clock: Clock },
  held: Assistant,
  change: AssistantChange,
  requestId: string,
): Promise<Assistant> {
  const changed = { ...held, ...change, version: held.version + 1, updatedAt: clock.now() };
  await assistants.save(tx, changed);
  await announceAssistant(tx, changed, requestId);
  return changed;
}

/** Tells the others of the assistant as it is now. */
export async function announceAssistant(tx: Sql, assistant: Assistant, requestId: string): Promise<void> {
  await enqueue(tx, {
    type: 'assistant.updated',
    workspaceId: assistant.workspaceId,
    requestId,
    occurredAt: assistant.updatedAt,
    data: toAssistantBrief(assistant),
  });
}
