import type { AssistantSnapshot } from '@parley/contracts';

/** The assistants service, for configurations that are not saved. Throws what it answers, such as `VALIDATION_FAILED`. */
export type DraftSnapshots = {
  get(
    workspaceId: string,
    draft: { agentId: string | null; config: Record<string, unknown> },
  ): Promise<AssistantSnapshot>;
};
