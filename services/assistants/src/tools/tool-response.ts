import type { tool as answer } from '@parley/contracts';
import { maskSecret } from '@parley/kit/secrets';
import { toIsoMicros } from '@parley/kit/time';
import type { z } from 'zod';
import type { JsonObject } from '../json-object.ts';
import { maskedWebhookSecretOf } from '../secrets/webhook-secret.ts';
import { isNativeToolName, nativeParameters } from './native-tool.ts';
import type { Tool } from './tool.ts';

/** The parameters of a tool of either kind [tools.8]. */
export function parametersOf(tool: Tool): JsonObject | null {
  const { isNative, toolName } = tool;
  return isNative && isNativeToolName(toolName) ? nativeParameters(toolName, tool) : tool.parameters;
}

/** The response shape: every field, with masked secrets [tools.1]. */
export function toToolResponse(tool: Tool): z.output<typeof answer> {
  return {
    id: tool.id,
    agent_id: tool.agentId,
    tool_name: tool.toolName,
    description: tool.description,
    is_native: tool.isNative,
    endpoint_url: tool.endpointUrl,
    http_method: tool.httpMethod,
    headers: Object.fromEntries(tool.headerNames.map((name) => [name, maskSecret])),
    webhook_secret: maskedWebhookSecretOf(tool.sealedWebhookSecret),
    parameters: parametersOf(tool),
    timeout_seconds: tool.timeoutSeconds,
    tool_behavior: tool.toolBehavior,
    result_scheduling: tool.resultScheduling,
    sms_content_type: tool.smsContentType,
    sms_static_message: tool.smsStaticMessage,
    telco_account_sid: tool.sealedTelcoCredentials === null ? null : maskSecret,
    telco_from_number: tool.telcoFromNumber,
    transfer_call_mode: tool.transferCallMode,
    transfer_call_destination: tool.transferCallDestination,
    transfer_call_type: tool.transferCallType,
    created_at: toIsoMicros(tool.createdAt),
    updated_at: toIsoMicros(tool.updatedAt),
  };
}
