import type { BodyOf, createCustomTool as contract } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import { toolIdsOf } from '../assistants/assistant.ts';
import { changeAssistant } from '../assistants/change-assistant.ts';
import type { AssistantStore } from '../assistants/ports.ts';
import { sized } from '../config/prepare-config.ts';
import type { CreateRequest, Transact } from '../ports.ts';
import { type CustomTool, checkCustomTool } from './check-custom-tool.ts';
import type { ToolStore } from './ports.ts';
import { headersPlace, type Tool, toToolAnswer } from './tool.ts';

/** What the use cases of tools work with. */
export type ToolDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  tools: ToolStore;
  secrets: Pick<SecretBox, 'seal' | 'open'>;
  /** Addresses that tools may have although they are not public (D8.5). */
  allowCidrs: readonly string[];
};

type Body = BodyOf<typeof contract>;

/** Adds a custom tool, and its id to `config.toolIds`, or neither (spec: POST /v1/tool/custom). */
export async function createCustomTool(
  deps: ToolDeps,
  { workspaceId, requestId, idempotency }: CreateRequest,
  body: Body,
): Promise<ReturnType<typeof toToolAnswer>> {
  const custom = toCustomTool(body);
  checkCustomTool(custom, deps.allowCidrs);
  return deps.transact(async (tx) => {
    const held = await deps.assistants.lock(tx, workspaceId, body.agent_id);
    if (!held) throw notFound('Assistant');
    const tool = toTool(custom, { id: held.id, workspaceId }, deps);
    await deps.tools.insert(tx, tool);
    const config = sized({ ...held.config, toolIds: [...toolIdsOf(held.config), tool.id] });
    await changeAssistant(tx, deps, held, { config }, requestId);
    return idempotency.answer(tx, toToolAnswer(tool));
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
  { secrets, clock }: Pick<ToolDeps, 'secrets' | 'clock'>,
): Tool {
  const id = newId();
  const now = clock.now();
  const headerNames = Object.keys(headers);
  return {
    ...custom,
    id,
    workspaceId: agent.workspaceId,
    agentId: agent.id,
    isNative: false,
    sealedHeaders: headerNames.length > 0 ? secrets.seal(JSON.stringify(headers), headersPlace(id)) : null,
    headerNames,
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
