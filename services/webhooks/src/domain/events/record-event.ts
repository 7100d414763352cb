import { type CallMessage, makeEvent } from './make-event.ts';
import type { TakeNews } from './ports.ts';

/** `call.started|ended|analyzed`: an event row with its exact bytes, and what the call knew of the URL. */
export async function recordEvent(deps: { takeNews: TakeNews; wake: () => void }, message: CallMessage) {
  const { agent } = message.data;
  const isNew = await deps.takeNews({
    messageId: message.id,
    endpoint: {
      agentId: agent.agent_id,
      workspaceId: message.workspace_id,
      version: agent.version,
      url: agent.webhook_url,
    },
    event: makeEvent(message),
  });
  if (isNew) deps.wake();
}
