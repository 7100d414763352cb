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

/** A draft that survives a reload and a sign-in of this tab. Secrets are not stored. */
export type KeptDraft = { base: Assistant; draft: Draft; at: number };

const KEY = 'parley.draft.';

export function keepDraft(id: string, kept: KeptDraft | null): void {
  try {
    if (kept === null) {
      sessionStorage.removeItem(KEY + id);
      return;
    }
    const { webhook_secret: _, ...draft } = kept.draft;
    sessionStorage.setItem(KEY + id, JSON.stringify({ ...kept, draft }));
  } catch {
    // Storage is full or forbidden: the draft lives as long as the page.
  }
}

export function keptDraft(id: string): KeptDraft | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY + id) ?? 'null') as KeptDraft | null;
  } catch {
    return null;
  }
}
