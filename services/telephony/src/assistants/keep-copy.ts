import type { AssistantBrief, Transact } from '../clients/ports.ts';
import type { AgentCopies } from './ports.ts';

/** Updates the local copy of an assistant if it is older. False if the assistant is known to be deleted. */
export async function keepCopy(
  { copies, transact }: { copies: AgentCopies; transact: Transact },
  workspaceId: string,
  brief: AssistantBrief,
): Promise<boolean> {
  const known = (await copies.find(workspaceId, [brief.agentId])).get(brief.agentId);
  if (known && known.version >= brief.version) return true;
  return transact((tx) => copies.remember(tx, workspaceId, brief));
}
