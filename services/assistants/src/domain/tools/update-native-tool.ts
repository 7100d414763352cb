import { nativeToolChanges } from '@parley/contracts';
import { notFound, parseInput } from '@parley/kit/errors';
import { changeAssistant } from '../assistants/change-assistant.ts';
import { sized } from '../config/prepare-config.ts';
import type { JsonObject } from '../json-object.ts';
import { checkNativeTool } from './check-native-tool.ts';
import type { ToolDeps, ToolRequest } from './deps.ts';
import { findTool, holdTool } from './hold-tool.ts';
import { type NativeFields, readNativeFields } from './native-fields.ts';
import { isNativeToolName } from './native-parameters.ts';
import { changeTelcoAccount } from './telco-account.ts';
import { toToolAnswer } from './tool.ts';
import { isOn, withSettings } from './tool-in-config.ts';

/** Changes the settings of a native tool that were sent, here and in its assistant's configuration (D4.2). */
export async function updateNativeTool(
  deps: ToolDeps,
  request: ToolRequest,
  body: JsonObject,
): Promise<ReturnType<typeof toToolAnswer>> {
  const found = await findTool(deps, request, ({ isNative }) => isNative);
  if (!isNativeToolName(found.toolName)) throw notFound('Tool');
  const sent: NativeFields = parseInput(nativeToolChanges[found.toolName], body);
  return holdTool(deps, found, async (tx, assistant, tool) => {
    const changed = {
      ...tool,
      ...readNativeFields(sent),
      sealedTelcoCredentials: changeTelcoAccount(deps.secrets, tool, sent),
      updatedAt: deps.clock.now(),
    };
    checkNativeTool(changed, isOn(assistant.config, tool));
    await deps.tools.save(tx, changed);
    const config = sized(withSettings(assistant.config, changed));
    await changeAssistant(tx, deps, assistant, { config }, request.requestId);
    return toToolAnswer(changed);
  });
}
