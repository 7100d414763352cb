import type { BodyOf, createNativeTool as contract } from '@parley/contracts';
import { conflict } from '@parley/kit/errors';
import type { Assistant } from '../assistants/assistant.ts';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { sized } from '../assistants/config/prepare-config.ts';
import { withLockedAssistant } from '../assistants/lock-assistant.ts';
import type { CreateRequest, Tx } from '../transact.ts';
import { checkNativeTool } from './check-native-tool.ts';
import type { ToolDeps } from './lock-tool.ts';
import { type NativeFields, newNativeTool, readNativeFields } from './native-tool.ts';
import { recordTool } from './record-tool.ts';
import { changeTelcoAccount } from './telco-account.ts';
import type { Tool } from './tool.ts';
import { isOn, withTool } from './tool-in-config.ts';
import { toToolResponse } from './tool-response.ts';

type Body = BodyOf<typeof contract>;

/**
 * Adds a native tool and enables it in its assistant [tools.7]. `CONFLICT` if the assistant already has it, enabled or
 * not.
 */
export async function createNativeTool(
  deps: ToolDeps,
  { workspaceId, requestId, by, idempotency }: CreateRequest,
  body: Body,
): Promise<ReturnType<typeof toToolResponse>> {
  const tool = toTool(deps, workspaceId, body);
  checkNativeTool(tool, true, deps.allowed);
  return withLockedAssistant(deps, { workspaceId, id: body.agent_id }, async (tx, assistant) => {
    await checkNotOff(tx, deps, assistant, tool);
    await deps.tools.insert(tx, tool);
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

/** A disabled tool is not visible in `toolIds`, so the message explains how to enable it. */
async function checkNotOff(tx: Tx, { tools }: ToolDeps, assistant: Assistant, tool: Tool): Promise<void> {
  if (isOn(assistant.config, tool)) return;
  const native = await tools.lockNative(tx, assistant.workspaceId, assistant.id);
  const { toolName } = tool;
  if (!native.some((own) => own.toolName === toolName)) return;
  throw conflict(
    `The assistant already has the tool ${toolName}, disabled. Enable it with PATCH /v1/assistant/${assistant.id} ` +
      `and {"config": {"nativeTools": {"${toolName}": {"enabled": true}}}}`,
  );
}

function toTool({ clock, secrets }: ToolDeps, workspaceId: string, body: Body): Tool {
  const { agent_id, tool_name, ...fields } = body;
  const sent: NativeFields = fields;
  const owner = { id: agent_id.toLowerCase(), workspaceId };
  const tool = newNativeTool(owner, tool_name, readNativeFields(sent), clock.now());
  return { ...tool, sealedTelcoCredentials: changeTelcoAccount(secrets, tool, sent) };
}
