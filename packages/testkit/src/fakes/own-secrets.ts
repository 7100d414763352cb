import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** The response to `getAssistantWebhookSecrets` if no assistant has a secret of its own. */
export async function withoutOwnSecrets(req: IncomingMessage): Promise<string> {
  const { agent_ids: ids } = (await json(req)) as { agent_ids: string[] };
  const data = ids.map((agent_id) => ({ agent_id, version: 1_000_000, webhook_secrets: [] }));
  return JSON.stringify({ success: true, data });
}
