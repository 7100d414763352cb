import type { Sql } from '@parley/kit/db';
import { type ChangeDeps, changeNumber } from './change-number.ts';

type Input = { workspaceId: string; agentId: string; requestId?: string | undefined };

/** Numbers that name a deleted assistant name nobody any more (D3.1). In the transaction that keeps the tombstone. */
export async function unassignAgent(
  tx: Sql,
  deps: ChangeDeps,
  { workspaceId, agentId, requestId }: Input,
): Promise<void> {
  for (const number of await deps.numbers.lockByAgent(tx, workspaceId, agentId)) {
    const change = {
      ...(number.inboundAgentId === agentId ? { inboundAgentId: null } : {}),
      ...(number.outboundAgentId === agentId ? { outboundAgentId: null } : {}),
    };
    await changeNumber(tx, deps, number, change, requestId);
  }
}
