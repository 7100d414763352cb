import type { BodyOf, updateCustomTool as contract } from '@parley/contracts';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { type CustomTool, checkCustomTool } from './check-custom-tool.ts';
import { checkParameters } from './check-parameters.ts';
import type { ToolDeps, ToolRequest } from './deps.ts';
import { findTool, holdTool } from './hold-tool.ts';
import { type Tool, toToolAnswer } from './tool.ts';
import { openHeaders, sealHeaders, unmaskHeaders } from './tool-headers.ts';

type Body = BodyOf<typeof contract>;

/**
 * Changes the fields of a custom tool that were sent, and judges the tool as it is then (D4.2). Its assistant counts as
 * edited: what it does in a call has changed.
 */
export async function updateCustomTool(
  deps: ToolDeps,
  request: ToolRequest,
  body: Body,
): Promise<ReturnType<typeof toToolAnswer>> {
  const found = await findTool(deps, request, ({ isNative }) => !isNative);
  // Parameters that weren't sent were judged when they were.
  const inParameters = checkParameters(body.parameters ?? null);
  return holdTool(deps, found, async (tx, assistant, tool) => {
    const { headers, ...merged } = merge(tool, body, () => openHeaders(deps.secrets, tool));
    checkCustomTool({ ...merged, headers: headers ?? {} }, deps.allowCidrs, inParameters);
    const changed = {
      ...tool,
      ...merged,
      ...(headers && sealHeaders(deps.secrets, tool.id, headers)),
      updatedAt: deps.clock.now(),
    };
    await deps.tools.save(tx, changed);
    await changeAssistant(tx, deps, assistant, {}, request.requestId);
    return toToolAnswer(changed);
  });
}

/** The tool with what was sent. Headers that weren't are left out: what is kept of them was judged when it was sent. */
function merge(
  tool: Tool,
  body: Body,
  open: () => Record<string, string>,
): Omit<CustomTool, 'headers'> & { headers: CustomTool['headers'] | undefined } {
  const toolBehavior = sentOr(body.tool_behavior, tool.toolBehavior);
  // Going back to blocking clears what is kept; what is sent stays, for the check to refuse.
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
