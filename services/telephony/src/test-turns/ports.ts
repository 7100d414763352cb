import type { AssistantSnapshot } from '@parley/contracts';

/** The assistants service, for configurations that are not saved. Throws the error of its response, such as `VALIDATION_FAILED`. */
export type DraftSnapshots = {
  get(
    workspaceId: string,
    draft: { agentId: string | null; config: Record<string, unknown> },
  ): Promise<AssistantSnapshot>;
};
