import type { BodyOf, patchAssistant, replaceAssistant } from '@parley/contracts';
import { toAssistantAnswer } from './assistant.ts';
import { changeAssistant } from './change-assistant.ts';
import type { AssistantDeps } from './deps.ts';
import { holdAssistant } from './hold-assistant.ts';
import { type ConfigReading, updateConfig } from './update-config.ts';

type Input = { workspaceId: string; id: string; requestId: string };
type Body = BodyOf<typeof patchAssistant> | BodyOf<typeof replaceAssistant>;

/**
 * Changes the parts of an assistant that are sent, its native tools with it, while it is held: whoever comes at the
 * same moment reads what was written here. A change that changes nothing is not written (D3.7).
 */
export function updateAssistant(
  deps: AssistantDeps,
  { requestId, ...owner }: Input,
  body: Body,
  reading: ConfigReading,
): Promise<ReturnType<typeof toAssistantAnswer>> {
  return holdAssistant(deps, owner, async (tx, held) => {
    const { agent_name: agentName = held.agentName, agent_type: agentType = held.agentType } = body;
    const untouched = { config: held.config, added: [], changed: [] };
    const update = body.config ? await updateConfig(tx, deps, held, body.config, reading) : untouched;
    const { config, added, changed } = update;
    const isSame =
      agentName === held.agentName &&
      agentType === held.agentType &&
      added.length + changed.length === 0 &&
      JSON.stringify(config) === JSON.stringify(held.config);
    if (isSame) return toAssistantAnswer(held);
    for (const tool of added) await deps.tools.insert(tx, tool);
    for (const tool of changed) await deps.tools.save(tx, tool);
    const saved = await changeAssistant(tx, deps, held, { agentName, agentType, config }, requestId);
    return toAssistantAnswer(saved);
  });
}
