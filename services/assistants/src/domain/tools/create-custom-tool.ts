import type { BodyOf, createCustomTool as contract } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import { validationFailed } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Assistant } from '../assistants/assistant.ts';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { holdAssistant } from '../assistants/hold-assistant.ts';
import { sized } from '../config/prepare-config.ts';
import type { CreateRequest } from '../ports.ts';
import { type CustomTool, checkCustomTool } from './check-custom-tool.ts';
import { checkParameters } from './check-parameters.ts';
import type { ToolDeps } from './deps.ts';
import { type Tool, toToolAnswer } from './tool.ts';
import { sealHeaders } from './tool-headers.ts';
import { withTool } from './tool-in-config.ts';

type Body = BodyOf<typeof contract>;

/** Adds a custom tool, and its id to `config.toolIds`, or neither (spec: POST /v1/tool/custom). */
export async function createCustomTool(
  deps: ToolDeps,
  { workspaceId, requestId, idempotency }: CreateRequest,
  body: Body,
): Promise<ReturnType<typeof toToolAnswer>> {
  const custom = toCustomTool(body);
  checkCustomTool(custom, deps.allowCidrs, checkParameters(custom.parameters));
  const tool = toTool(custom, { id: body.agent_id.toLowerCase(), workspaceId }, deps);
  return holdAssistant(deps, { workspaceId, id: body.agent_id }, async (tx, assistant) => {
    await checkRoom(tx, deps, assistant);
    await deps.tools.insert(tx, tool);
    await changeAssistant(
      tx,
      deps,
      assistant,
      { config: sized(withTool(assistant.config, tool)) },
      requestId,
    );
    return idempotency.answer(tx, toToolAnswer(tool));
  });
}

/** A call loads all tools in use. Native tools count, and are never refused themselves: there are three of them. */
async function checkRoom(
  tx: Sql,
  { tools, maxTools }: ToolDeps,
  { workspaceId, id }: Assistant,
): Promise<void> {
  if ((await tools.countOf(tx, workspaceId, id)) < maxTools) return;
  const message = `agent_id names an assistant that has ${maxTools} tools already, which is the most`;
  throw validationFailed([{ path: 'agent_id', code: 'too_big', message }]);
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
