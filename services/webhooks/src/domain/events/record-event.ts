import { type CallMessage, makeEvent } from './make-event.ts';
import type { HandleOnce } from './ports.ts';

/** `call.started|ended|analyzed`: an event row with its exact bytes, and what the call knew of the URL. */
export async function recordEvent(deps: { handleOnce: HandleOnce; wake: () => void }, message: CallMessage) {
  const { agent } = message.data;
  const isNew = await deps.handleOnce(message.id, async (writer) => {
    await writer.noteEndpoint({
      agentId: agent.agent_id,
      workspaceId: message.workspace_id,
      version: agent.version,
      url: agent.webhook_url,
    });
    await writer.addEvent(makeEvent(message));
  });
  if (isNew) deps.wake();
}
