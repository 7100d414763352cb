import type { BodyOf, createNativeTool as contract } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import { conflict } from '@parley/kit/errors';
import type { Assistant } from '../assistants/assistant.ts';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { holdAssistant } from '../assistants/hold-assistant.ts';
import { sized } from '../config/prepare-config.ts';
import type { CreateRequest } from '../ports.ts';
import { checkNativeTool } from './check-native-tool.ts';
import type { ToolDeps } from './deps.ts';
import { type NativeFields, readNativeFields } from './native-fields.ts';
import { newNativeTool } from './native-tool.ts';
import { changeTelcoAccount } from './telco-account.ts';
import { type Tool, toToolAnswer } from './tool.ts';
import { isOn, withTool } from './tool-in-config.ts';

type Body = BodyOf<typeof contract>;

/**
 * Adds a native tool and switches it on in its assistant, or neither (D4.3). `CONFLICT` when the assistant has it, on or
 * off: the index over assistant and name says so.
 */
export async function createNativeTool(
  deps: ToolDeps,
  { workspaceId, requestId, idempotency }: CreateRequest,
  body: Body,
): Promise<ReturnType<typeof toToolAnswer>> {
  const tool = toTool(deps, workspaceId, body);
  checkNativeTool(tool, true);
  return holdAssistant(deps, { workspaceId, id: body.agent_id }, async (tx, assistant) => {
    await checkNotOff(tx, deps, assistant, tool);
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

/** One that is switched off is not seen in the configuration, so that its owner has to be told that it is there. */
async function checkNotOff(tx: Sql, { tools }: ToolDeps, assistant: Assistant, tool: Tool): Promise<void> {
  if (isOn(assistant.config, tool)) return;
  const native = await tools.holdNative(tx, assistant.workspaceId, assistant.id);
  const { toolName } = tool;
  if (!native.some((own) => own.toolName === toolName)) return;
  throw conflict(
    `The assistant has the tool ${toolName} already, switched off. Switch it on with PATCH /v1/assistant/${assistant.id} ` +
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
