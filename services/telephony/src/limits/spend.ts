import type { Sql } from '@parley/kit/db';
import { AppError } from '@parley/kit/errors';
import type { WorkspaceLimits } from '../clients/ports.ts';

/** What calls cost that ended on a day (UTC) of the stack's clock. */
export type DailySpend = {
  /** By workspace; one that has spent nothing is missing. */
  spentOn(tx: Sql, workspaceIds: readonly string[], at: Date): Promise<Map<string, number>>;
};

type Limits = Pick<WorkspaceLimits, 'rateCents' | 'dailySpendLimitCents'>;

/**
 * How many more calls a workspace may begin today [trust.22]. Each live call is counted with the price of one minute: what it costs
 * beyond that is known at its end only, so that a day may exceed its limit by what the calls that were live then cost beyond their
 * first minute.
 */
export function affordableCalls(
  { rateCents, dailySpendLimitCents: limit }: Limits,
  spentCents: number,
  live: number,
): number {
  if (limit === null) return Number.POSITIVE_INFINITY;
  const left = limit - spentCents;
  if (rateCents === 0) return left > 0 ? Number.POSITIVE_INFINITY : 0;
  return Math.max(0, Math.floor(left / rateCents) - live);
}

type Deps = { spend: DailySpend };
type Admission = { workspaceId: string; limits: Limits; live: number; now: Date };

/**
 * `403 FORBIDDEN` for a call that the workspace's daily limit doesn't cover. Called in the transaction that holds the workspace's
 * live calls (`countExactly`) and with their count: of two calls at once the second one counts the first. The count is read before
 * the spend, so that a call that ends in between is counted twice and never missed.
 */
export async function requireAffordable(
  tx: Sql,
  { spend }: Deps,
  { workspaceId, limits, live, now }: Admission,
): Promise<void> {
  if (limits.dailySpendLimitCents === null) return;
  const spent = (await spend.spentOn(tx, [workspaceId], now)).get(workspaceId) ?? 0;
  if (affordableCalls(limits, spent, live) > 0) return;
  throw new AppError(
    'FORBIDDEN',
    `This workspace's daily_spend_limit_cents (${limits.dailySpendLimitCents}) is reached: ${spent} cents are spent today (UTC) ` +
      `and ${live} calls are live`,
  );
}
