import type { AssistantBrief } from '../clients/ports.ts';
import type { Tx } from '../prisma.ts';

/** The newest known data of an assistant. */
type KnownVersion = { version: number; isDeleted: boolean };

/** Local copies of the assistants' names. */
export type AgentCopies = {
  /** Known assistants that are not deleted, by id. */
  find(workspaceId: string, agentIds: readonly string[]): Promise<Map<string, AssistantBrief>>;
  /** Known assistants of any workspace, by id, from messages and from calls to assistants. */
  knownVersions(agentIds: readonly string[]): Promise<Map<string, KnownVersion>>;
  /**
   * Stores a brief with a higher version than the copy's. False if the assistant is known to be deleted. Locks the copy's row
   * until the transaction ends, so that a deletion comes before or after it.
   */
  remember(tx: Tx, workspaceId: string, brief: AssistantBrief): Promise<boolean>;
  /** Marks the assistant as deleted, permanently. */
  markDeleted(
    tx: Tx,
    workspaceId: string,
    assistant: { agentId: string; version: number; at: Date },
  ): Promise<void>;
};
