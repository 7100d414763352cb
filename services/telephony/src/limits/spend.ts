import type { SqlClient } from '@parley/kit/db';
import { AppError } from '@parley/kit/errors';
import type { WorkspaceLimits } from '../clients/ports.ts';
import { publicShare } from './private-share.ts';

/** The cost of calls that ended on a day (UTC) of the stack's clock. */
export type DailySpend = {
  /** Cents by workspace; a workspace without calls is missing. */
  spentOn(tx: SqlClient, workspaceIds: readonly string[], at: Date): Promise<Map<string, number>>;
};

type Limits = Pick<WorkspaceLimits, 'rateCents' | 'dailySpendLimitCents'>;

/**
 * The number of further calls that a workspace may begin today [trust.22]. Each live call counts with the price of one minute: its
 * actual cost is only known at its end, so a day may exceed its limit by the cost of live calls beyond their first minute.
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
type Admission = {
  workspaceId: string;
  limits: Limits;
  live: number;
  now: Date;
  /** The call is of a public key: a quarter of the limit is reserved for other keys [trust.8]. */
  isPublic?: boolean;
};

/**
 * `403 FORBIDDEN` for a call that the workspace's daily limit doesn't cover. Called in the transaction that has locked the workspace's
 * live calls (`countExactly`), with their count: the second of two concurrent calls counts the first. The count is read before the
 * spend, so that a call that ends in between is counted twice rather than missed.
 */
export async function requireAffordable(
  tx: SqlClient,
  { spend }: Deps,
  { workspaceId, limits, live, now, isPublic = false }: Admission,
): Promise<void> {
  const { rateCents, dailySpendLimitCents: limit } = limits;
  if (limit === null) return;
  const spent = (await spend.spentOn(tx, [workspaceId], now)).get(workspaceId) ?? 0;
  const dailySpendLimitCents = isPublic ? publicShare(limit) : limit;
  if (affordableCalls({ rateCents, dailySpendLimitCents }, spent, live) > 0) return;
  // Visitors of a page must not see the figures.
  if (isPublic)
    throw new AppError(
      'FORBIDDEN',
      "This workspace's calls have reached what its daily_spend_limit_cents leaves to public keys",
    );
  throw new AppError(
    'FORBIDDEN',
    `This workspace has reached its daily_spend_limit_cents (${limit}): ${spent} cents spent today (UTC), ` +
      `${live} live calls`,
  );
}
