import type { SqlClient } from '@parley/kit/db';
import type { WorkspaceLimits } from '../clients/ports.ts';
import { dailySpend } from './daily-spend.store.ts';
import { countLiveCalls, lockWorkspaceCalls } from './live-calls.store.ts';
import { affordableCalls } from './spend.ts';

/**
 * How many more calls of campaigns the workspaces may have [general.19] [trust.22], exact until the transaction ends. None where
 * the limits are not known.
 */
export async function countRemainingCalls(
  tx: SqlClient,
  workspaceIds: readonly string[],
  limits: ReadonlyMap<string, WorkspaceLimits>,
  now: Date,
): Promise<Map<string, number>> {
  const ids = [...new Set(workspaceIds)].sort();
  for (const id of ids) await lockWorkspaceCalls(tx, id);
  const live = ids.length > 0 ? await countLiveCalls(tx, ids) : new Map<string, number>();
  const limited = ids.filter((id) => limits.get(id)?.dailySpendLimitCents != null);
  const spent = await dailySpend.spentOn(tx, limited, now);
  return new Map(
    ids.map((id) => {
      const own = limits.get(id);
      const calls = live.get(id) ?? 0;
      if (!own) return [id, 0];
      return [id, Math.min(own.maxLiveCalls - calls, affordableCalls(own, spent.get(id) ?? 0, calls))];
    }),
  );
}
