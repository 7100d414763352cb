import type { Message } from '@parley/contracts';
import type { Amqp, ReadContent } from '@parley/kit/amqp';
import type { Ingest } from './ingest.ts';
import { type CallMessage, makeEvent } from './make-event.ts';

/** Messages that arrive during a transaction share the next one; each may have a whole transcript. */
const PREFETCH = 64;

type Deps = { amqp: Amqp; ingest: Ingest; readContent: ReadContent };

/** `onEvent`: an event was stored and may be due. */
export function startConsumers({ amqp, ingest, readContent }: Deps, onEvent: () => void): void {
  const storeEvent = async (message: CallMessage): Promise<void> => {
    const { agent_id: agentId, version, webhook_url: url } = message.data.agent;
    const endpoint = { agentId, workspaceId: message.workspace_id, version, url };
    if (await ingest({ messageId: message.id, endpoint, event: makeEvent(message) })) onEvent();
  };
  /** A deleted assistant has no URL: its calls' remaining events end as `no_webhook_url`. */
  const storeUrl = async (message: Message<'assistant.updated' | 'assistant.deleted'>): Promise<void> => {
    const { agent_id: agentId, version } = message.data;
    const url = message.type === 'assistant.updated' ? message.data.webhook_url : null;
    const endpoint = { agentId, workspaceId: message.workspace_id, version, url };
    await ingest({ messageId: message.id, endpoint, event: null });
  };
  amqp.consume({
    queue: 'webhooks.calls',
    prefetch: PREFETCH,
    readContent,
    handlers: { 'call.started': storeEvent, 'call.ended': storeEvent, 'call.analyzed': storeEvent },
  });
  amqp.consume({
    queue: 'webhooks.assistants',
    prefetch: PREFETCH,
    handlers: { 'assistant.updated': storeUrl, 'assistant.deleted': storeUrl },
  });
}
