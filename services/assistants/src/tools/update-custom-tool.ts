import type { BodyOf, updateCustomTool as contract } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { maskSecret } from '@parley/kit/secrets';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { changeWebhookSecret, isSameOrigin, toolSecretPlace } from '../secrets/webhook-secret.ts';
import { type CustomTool, checkCustomTool } from './check-custom-tool.ts';
import { checkToolLimits, findTool, type ToolDeps, type ToolRequest, withLockedTool } from './lock-tool.ts';
import { recordTool } from './record-tool.ts';
import type { Tool } from './tool.ts';
import { openHeaders, sealHeaders, unmaskHeaders } from './tool-headers.ts';
import { toToolResponse } from './tool-response.ts';

type Body = BodyOf<typeof contract>;

/** Updates a custom tool and validates the result as a whole [tools.6]. Its assistant counts as changed. */
export async function updateCustomTool(
  deps: ToolDeps,
  request: ToolRequest,
  body: Body,
): Promise<ReturnType<typeof toToolResponse>> {
  const found = await findTool(deps, request, ({ isNative }) => !isNative);
  // Stored parameters were validated when they were sent.
  const inParameters = deps.checkParameters(request.workspaceId, body.parameters ?? null);
  return withLockedTool(deps, found, async (tx, assistant, tool) => {
    const moves = !isSameOrigin(tool.endpointUrl, body.endpoint_url ?? tool.endpointUrl);
    if (moves) requireSecretsAgain(tool, body);
    const { headers, ...merged } = merge(tool, body, () => openHeaders(deps.secrets, tool));
    checkCustomTool({ ...merged, headers: headers ?? {} }, deps.allowed, inParameters);
    const now = deps.clock.now();
    const changed = {
      ...tool,
      ...merged,
      ...(headers && sealHeaders(deps.secrets, tool.id, headers)),
      sealedWebhookSecret: changeWebhookSecret(deps.secrets, {
        sealed: tool.sealedWebhookSecret,
        place: toolSecretPlace(tool.id),
        sent: body.webhook_secret,
        moves,
        urlField: 'endpoint_url',
        now,
      }),
      updatedAt: now,
    };
    await deps.tools.save(tx, changed);
    // An assistant whose tools are too large already can still make them smaller.
    if (sizeOf(changed) > sizeOf(tool)) await checkToolLimits(tx, deps, assistant);
    await recordTool(tx, request.by, { before: tool, after: changed, at: changed.updatedAt });
    await changeAssistant(tx, deps, assistant, {}, request.requestId);
    return toToolResponse(changed);
  });
}

function sizeOf({ parameters, description, sealedHeaders, endpointUrl }: Tool): number {
  return JSON.stringify([parameters, description, sealedHeaders, endpointUrl]).length;
}

/** The tool with the sent fields. `headers` is undefined if they were not sent. */
function merge(
  tool: Tool,
  body: Body,
  open: () => Record<string, string>,
): Omit<CustomTool, 'headers'> & { headers: CustomTool['headers'] | undefined } {
  const toolBehavior = sentOr(body.tool_behavior, tool.toolBehavior);
  // Returning to `blocking` clears the stored value [tools.12]; a sent value stays for validation.
  const keptScheduling = toolBehavior === 'non_blocking' ? tool.resultScheduling : null;
  return {
    toolName: sentOr(body.tool_name, tool.toolName),
    description: sentOr(body.description, tool.description),
    endpointUrl: sentOr(body.endpoint_url, tool.endpointUrl),
    httpMethod: sentOr(body.http_method, tool.httpMethod),
    headers: body.headers === undefined ? undefined : unmaskHeaders(body.headers ?? {}, open),
    parameters: sentOr(body.parameters, tool.parameters),
    timeoutSeconds: sentOr(body.timeout_seconds, tool.timeoutSeconds),
    toolBehavior,
    resultScheduling: sentOr(body.result_scheduling, keptScheduling),
  };
}

function sentOr<Value>(sent: Value | undefined, kept: Value): Value {
  return sent === undefined ? kept : sent;
}

/**
 * When `endpoint_url` moves to another scheme, host or port, all header values and an own secret must be sent again or
 * removed [trust.11]. The mask counts as missing. Throws `VALIDATION_FAILED` with what is missing.
 */
function requireSecretsAgain(
  { headerNames, sealedWebhookSecret }: Pick<Tool, 'headerNames' | 'sealedWebhookSecret'>,
  { headers, webhook_secret: secret }: Pick<BodyOf<typeof contract>, 'headers' | 'webhook_secret'>,
): void {
  const missingHeaders =
    headers === undefined
      ? headerNames
      : Object.keys(headers ?? {}).filter((name) => headers?.[name] === maskSecret);
  const isSecretMissing = sealedWebhookSecret !== null && (secret === undefined || secret === maskSecret);
  const missing = [
    ...missingHeaders.map((name) => `headers.${name}`),
    ...(isSecretMissing ? ['webhook_secret'] : []),
  ];
  if (missing.length === 0) return;
  throw validationFailed(
    missing.map((path) => {
      const message = `${path} must be sent again: endpoint_url has another scheme, host or port, where stored values are not sent`;
      return { path, code: 'required', message };
    }),
  );
}
