import type { BodyOf, createCustomTool as contract } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { sized } from '../assistants/config/prepare-config.ts';
import { withLockedAssistant } from '../assistants/lock-assistant.ts';
import { changeWebhookSecret, toolSecretPlace } from '../secrets/webhook-secret.ts';
import type { CreateRequest } from '../transact.ts';
import { type CustomTool, checkCustomTool } from './check-custom-tool.ts';
import { checkToolLimits, type ToolDeps } from './lock-tool.ts';
import { recordTool } from './record-tool.ts';
import type { Tool } from './tool.ts';
import { sealHeaders } from './tool-headers.ts';
import { withTool } from './tool-in-config.ts';
import { toToolResponse } from './tool-response.ts';

type Body = BodyOf<typeof contract>;

/** Adds a custom tool and appends its id to `config.toolIds` [tools.3]. */
export async function createCustomTool(
  deps: ToolDeps,
  { workspaceId, requestId, by, idempotency }: CreateRequest,
  body: Body,
): Promise<ReturnType<typeof toToolResponse>> {
  const custom = toCustomTool(body);
  checkCustomTool(custom, deps.allowed, deps.checkParameters(workspaceId, custom.parameters));
  const agent = { id: body.agent_id.toLowerCase(), workspaceId };
  const tool = toTool(custom, agent, body.webhook_secret, deps);
  return withLockedAssistant(deps, { workspaceId, id: body.agent_id }, async (tx, assistant) => {
    await deps.tools.insert(tx, tool);
    await checkToolLimits(tx, deps, assistant);
    await recordTool(tx, by, { after: tool, at: tool.createdAt });
    await changeAssistant(
      tx,
      deps,
      assistant,
      { config: sized(withTool(assistant.config, tool)) },
      requestId,
    );
    return idempotency.answer(tx, toToolResponse(tool));
  });
}

function toCustomTool(body: Body): CustomTool {
  const { tool_behavior: behavior = 'blocking', result_scheduling: scheduling } = body;
  return {
    toolName: body.tool_name,
    description: body.description ?? null,
    endpointUrl: body.endpoint_url,
    httpMethod: body.http_method,
    headers: body.headers,
    parameters: body.parameters ?? null,
    timeoutSeconds: body.timeout_seconds,
    toolBehavior: behavior,
    resultScheduling:
      scheduling === undefined && behavior === 'non_blocking' ? 'when_idle' : (scheduling ?? null),
  };
}

function toTool(
  { headers, ...custom }: CustomTool,
  agent: { id: string; workspaceId: string },
  webhookSecret: string | null | undefined,
  { secrets, clock }: Pick<ToolDeps, 'secrets' | 'clock'>,
): Tool {
  const id = newId();
  const now = clock.now();
  return {
    ...custom,
    id,
    workspaceId: agent.workspaceId,
    agentId: agent.id,
    isNative: false,
    ...sealHeaders(secrets, id, headers),
    sealedWebhookSecret: changeWebhookSecret(secrets, {
      sealed: null,
      place: toolSecretPlace(id),
      sent: webhookSecret,
      moves: false,
      urlField: 'endpoint_url',
      now,
    }),
    smsContentType: null,
    smsStaticMessage: null,
    sealedTelcoCredentials: null,
    telcoFromNumber: null,
    transferCallMode: null,
    transferCallDestination: null,
    transferCallType: null,
    createdAt: now,
    updatedAt: now,
  };
}
