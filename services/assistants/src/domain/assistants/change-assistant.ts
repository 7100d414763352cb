import type { Sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { type Assistant, toAssistantBrief } from './assistant.ts';
import type { AssistantStore } from './ports.ts';

export type AssistantChange = Partial<Pick<Assistant, 'agentName' | 'agentType' | 'config'>>;

type Deps = { assistants: AssistantStore; clock: Clock };

/** Changes an assistant that the transaction holds. */
export async function changeAssistant(
  tx: Sql,
  deps: Deps,
  held: Assistant,
  change: AssistantChange,
  requestId: string,
): Promise<Assistant> {
  const [changed = held] = await changeAssistants(tx, deps, [held], () => change, requestId);
  return changed;
}

/** Changes assistants that the transaction holds: the one place where versions rise and the others hear of it. */
export async function changeAssistants(
  tx: Sql,
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

/** Tells the others of assistants as they are now. */
export async function announceAssistants(
  tx: Sql,
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
