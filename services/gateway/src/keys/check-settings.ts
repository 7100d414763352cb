import { getAssistantBriefs, SETTINGS_OF, type SomeKeySettings } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import type { ServiceClient } from '@parley/kit/http';
import type { KeyType } from './key-format.ts';

export type CheckSettingsDeps = { assistants: Pick<ServiceClient, 'call'> };

/** Throws 422 for a setting that this type of key does not have, and for an assistant of another workspace. */
export async function checkSettings(
  { assistants }: CheckSettingsDeps,
  key: { workspaceId: string; type: KeyType },
  settings: SomeKeySettings,
): Promise<void> {
  const known: readonly string[] = SETTINGS_OF[key.type];
  const strange = Object.entries(settings).filter(([name, value]) => value && !known.includes(name));
  if (strange.length > 0) {
    throw validationFailed(
      strange.map(([path]) => ({
        path,
        code: 'not_allowed',
        message: `${path} is not a setting of a ${key.type} key`,
      })),
    );
  }
  const { agent_ids: agentIds } = settings;
  if (!agentIds) return;
  const { workspaceId } = key;
  const found = await assistants.call(getAssistantBriefs, { body: { agent_ids: agentIds } }, { workspaceId });
  const ids = new Set(found.map(({ agent_id }) => agent_id.toLowerCase()));
  const unknown = agentIds.flatMap((id, i) =>
    ids.has(id)
      ? []
      : [
          {
            path: `agent_ids.${i}`,
            code: 'unknown_id' as const,
            message: `agent_ids.${i} is not an assistant of this workspace`,
          },
        ],
  );
  if (unknown.length > 0) throw validationFailed(unknown);
}
