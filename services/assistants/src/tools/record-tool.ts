import { changesBetween, recordAudit, SECRET_CHANGE } from '@parley/kit/audit';
import type { ChangedBy } from '@parley/kit/http';
import { maskSecret } from '@parley/kit/secrets';
import { maskedWebhookSecretOf } from '../secrets/webhook-secret.ts';
import type { Tx } from '../transact.ts';
import type { Tool } from './tool.ts';

/** Records in the audit log that a tool was created, or that its destination or secrets changed [trust.17]. */
export async function recordTool(
  tx: Tx,
  by: ChangedBy,
  { before, after, at }: { before?: Tool; after: Tool; at: Date },
): Promise<void> {
  const changes = {
    ...changesBetween(before ? shown(before) : {}, shown(after)),
    ...((before?.sealedHeaders ?? null) === after.sealedHeaders
      ? {}
      : { headers: { from: before ? masked(before) : null, to: masked(after) } }),
    ...((before?.sealedWebhookSecret ?? null) === after.sealedWebhookSecret
      ? {}
      : {
          webhook_secret: {
            from: maskedWebhookSecretOf(before?.sealedWebhookSecret ?? null),
            to: maskedWebhookSecretOf(after.sealedWebhookSecret),
          },
        }),
    ...((before?.sealedTelcoCredentials ?? null) === after.sealedTelcoCredentials
      ? {}
      : {
          telco_credentials: after.sealedTelcoCredentials === null ? { from: maskSecret } : SECRET_CHANGE,
        }),
  };
  if (before && Object.keys(changes).length === 0) return;
  const target = { type: 'tool', id: after.id, name: after.toolName };
  await recordAudit(tx, by, { action: before ? 'tool.updated' : 'tool.created', target, changes, at });
}

function shown(tool: Tool): Record<string, unknown> {
  const fields = {
    agent_id: tool.agentId,
    tool_name: tool.toolName,
    endpoint_url: tool.endpointUrl,
    http_method: tool.httpMethod,
    telco_from_number: tool.telcoFromNumber,
    transfer_call_mode: tool.transferCallMode,
    transfer_call_destination: tool.transferCallDestination,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function masked({ headerNames }: Tool): Record<string, string> {
  return Object.fromEntries(headerNames.map((name) => [name, maskSecret]));
}
