import type { SnapshotTool } from '@parley/contracts';
import type { SecretBox } from '@parley/kit/secrets';
import { openWebhookSecrets, toolSecretPlace } from '../secrets/webhook-secret.ts';
import { openTelcoAccount } from './telco-account.ts';
import type { Tool } from './tool.ts';
import { openHeaders } from './tool-headers.ts';
import { parametersOf } from './tool-response.ts';

type Opener = Pick<SecretBox, 'open'>;

/** A tool for a call, with decrypted secrets and defaults instead of null. Never logged. */
export function toSnapshotTool(tool: Tool, secrets: Opener): SnapshotTool {
  return {
    id: tool.id,
    tool_name: tool.toolName,
    is_native: tool.isNative,
    description: tool.description,
    endpoint_url: tool.endpointUrl,
    http_method: tool.httpMethod,
    headers: openHeaders(secrets, tool),
    webhook_secrets: openWebhookSecrets(secrets, tool.sealedWebhookSecret, toolSecretPlace(tool.id)),
    parameters: parametersOf(tool),
    timeout_seconds: tool.timeoutSeconds,
    tool_behavior: tool.toolBehavior ?? 'blocking',
    result_scheduling: tool.resultScheduling ?? 'when_idle',
    native: tool.isNative ? nativeOf(tool, secrets) : null,
  };
}

function nativeOf(tool: Tool, secrets: Opener): SnapshotTool['native'] {
  const telco = openTelcoAccount(secrets, tool);
  return {
    sms_content_type: tool.smsContentType,
    sms_static_message: tool.smsStaticMessage,
    telco_account_sid: telco?.account_sid ?? null,
    telco_auth_token: telco?.auth_token ?? null,
    telco_from_number: tool.telcoFromNumber,
    transfer_call_mode: tool.transferCallMode,
    transfer_call_destination: tool.transferCallDestination,
    transfer_call_type: tool.transferCallType,
  };
}
