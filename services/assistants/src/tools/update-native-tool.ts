import { nativeToolChanges } from '@parley/contracts';
import { notFound, parseInput } from '@parley/kit/errors';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { sized } from '../assistants/config/prepare-config.ts';
import type { JsonObject } from '../json-object.ts';
import { checkNativeTool } from './check-native-tool.ts';
import type { ToolDeps, ToolRequest } from './lock-tool.ts';
import { findTool, withLockedTool } from './lock-tool.ts';
import { isNativeToolName, type NativeFields, readNativeFields } from './native-tool.ts';
import { recordTool } from './record-tool.ts';
import { changeTelcoAccount } from './telco-account.ts';
import { isOn, withSettings } from './tool-in-config.ts';
import { toToolResponse } from './tool-response.ts';

/** Updates a native tool and its settings in the assistant's configuration [tools.6]. */
export async function updateNativeTool(
  deps: ToolDeps,
  request: ToolRequest,
  body: JsonObject,
): Promise<ReturnType<typeof toToolResponse>> {
  const found = await findTool(deps, request, ({ isNative }) => isNative);
  if (!isNativeToolName(found.toolName)) throw notFound('Tool');
  const sent: NativeFields = parseInput(nativeToolChanges[found.toolName], body);
  return withLockedTool(deps, found, async (tx, assistant, tool) => {
    const changed = {
      ...tool,
      ...readNativeFields(sent),
      sealedTelcoCredentials: changeTelcoAccount(deps.secrets, tool, sent),
      updatedAt: deps.clock.now(),
    };
    checkNativeTool(changed, isOn(assistant.config, tool), deps.allowed);
    await deps.tools.save(tx, changed);
    await recordTool(tx, request.by, { before: tool, after: changed, at: changed.updatedAt });
    const config = sized(withSettings(assistant.config, changed));
    await changeAssistant(tx, deps, assistant, { config }, request.requestId);
    return toToolResponse(changed);
  });
}
