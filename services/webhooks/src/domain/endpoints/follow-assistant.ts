import type { Message } from '@parley/contracts';
import type { TakeNews } from '../events/ports.ts';

/** `assistant.updated|deleted`: the URL that the next attempt goes to; a deleted assistant has none. */
export async function followAssistant(
  deps: { takeNews: TakeNews },
  message: Message<'assistant.updated' | 'assistant.deleted'>,
): Promise<void> {
  const { agent_id: agentId, version } = message.data;
  const url = message.type === 'assistant.updated' ? message.data.webhook_url : null;
  const endpoint = { agentId, workspaceId: message.workspace_id, version, url };
  await deps.takeNews({ messageId: message.id, endpoint, event: null });
}
