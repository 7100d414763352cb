import type { Sql } from '@parley/kit/db';
import type { AssistantBrief } from '../clients/ports.ts';

/** What telephony has heard of an assistant last. */
export type Hearsay = { version: number; isDeleted: boolean };

/** Telephony's own copy of what assistants are called. */
export type AgentCopies = {
  /** Those that are known and not deleted, by id. */
  find(workspaceId: string, agentIds: readonly string[]): Promise<Map<string, AssistantBrief>>;
  /** What was heard of assistants of any workspace, by id: by messages, and by what clients' requests had asked. */
  heardOf(agentIds: readonly string[]): Promise<Map<string, Hearsay>>;
  /**
   * Takes a brief whose version is higher than the copy's. False when the assistant is known to be deleted. Holds the
   * copy's row until the transaction ends, so that a deletion comes before or after it.
   */
  remember(tx: Sql, workspaceId: string, brief: AssistantBrief): Promise<boolean>;
  /** Keeps that the assistant is deleted, for good. */
  bury(
    tx: Sql,
    workspaceId: string,
    assistant: { agentId: string; version: number; at: Date },
  ): Promise<void>;
};
