import type { BrowserClient } from '@parley/client/browser';
import { isSame, type JsonObject } from './json.ts';
import { mergePatch } from './merge-patch.ts';

/** As the API returns it. */
export type Assistant = Awaited<ReturnType<BrowserClient['assistants']['get']>>;

export type AssistantUpdate = NonNullable<Parameters<BrowserClient['assistants']['update']>[1]>;

/** What an editor changes. `webhook_secret` only while a new one is typed. */
export type Draft = {
  agent_name: string;
  agent_type: string;
  config: JsonObject;
  webhook_secret?: string | null;
};

export function toDraft({ agent_name, agent_type, config }: Assistant): Draft {
  return { agent_name, agent_type, config };
}

export function isChanged(base: Assistant, draft: Draft): boolean {
  return draft.webhook_secret !== undefined || !isSame(toDraft(base), draft);
}

/** The body of PATCH: what differs from the version that was edited, which must still be the current one [assistants.25]. */
export function toUpdate(base: Assistant, draft: Draft): AssistantUpdate {
  const config = mergePatch(base.config, draft.config);
  return {
    ...(draft.agent_name === base.agent_name ? {} : { agent_name: draft.agent_name }),
    ...(draft.agent_type === base.agent_type ? {} : { agent_type: draft.agent_type }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(draft.webhook_secret === undefined ? {} : { webhook_secret: draft.webhook_secret }),
    expected_updated_at: base.updated_at,
  };
}

/** Of a draft in this browser's storage; those of what belongs to the assistant begin with it. */
export const draftName = (id: string): string => `assistant/${id}`;

/** Of its configuration as a text that is not valid JSON. */
export const jsonDraftName = (id: string): string => `${draftName(id)}/json`;

/** Of what its test begins with. */
export const testDraftName = (id: string): string => `${draftName(id)}/test`;

/** Of its custom tools. */
export const toolDraftsName = (id: string): string => `${draftName(id)}/tools`;

/** Of one of them, or of a new one. */
export const toolDraftName = (id: string, toolId: string): string => `${toolDraftsName(id)}/${toolId}`;

/** Of the arguments that custom tools are tried with. */
export const tryDraftsName = (id: string): string => `${draftName(id)}/tries`;

/** Of those of one of them. */
export const tryDraftName = (id: string, toolId: string): string => `${tryDraftsName(id)}/${toolId}`;

export const NEW_TOOL = 'new';

/** A draft that is stored in this browser. */
export type KeptDraft = { base: Assistant; draft: Draft; at: number };

/** Secrets are not stored. */
export function toKept({ draft, ...kept }: Omit<KeptDraft, 'at'>): Omit<KeptDraft, 'at'> {
  const { webhook_secret: _, ...rest } = draft;
  return { ...kept, draft: rest };
}
