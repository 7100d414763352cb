import type { Message } from '@parley/contracts';
import type { HandleOnce } from '../events/ports.ts';

/** `assistant.updated|deleted`: the URL that the next attempt goes to; a deleted assistant has none. */
export async function followAssistant(
  deps: { handleOnce: HandleOnce },
  message: Message<'assistant.updated' | 'assistant.deleted'>,
): Promise<void> {
  const { agent_id: agentId, version } = message.data;
  const url = message.type === 'assistant.updated' ? message.data.webhook_url : null;
  await deps.handleOnce(message.id, (writer) =>
    writer.noteEndpoint({ agentId, workspaceId: message.workspace_id, version, url }),
  );
}
