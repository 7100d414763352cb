import { forEachLimited } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
import type { CallContext } from '@parley/kit/http';
import type { Telephony } from '../clients/telephony.ts';
import type { CampaignStore, Withdrawal } from './campaigns.store.ts';

type Deps = { campaigns: CampaignStore; telephony: Pick<Telephony, 'withdraw'> };

const BATCH = 50;
const CONCURRENCY = 4;

/** Makes telephony withdraw every undialed request of the campaign. May be repeated. */
export async function withdraw(
  { campaigns, telephony }: Deps,
  { id, status, generation }: Omit<Withdrawal, 'workspaceId'>,
  context: CallContext,
): Promise<void> {
  try {
    await telephony.withdraw(id, generation, context);
  } catch (cause) {
    const message = `The campaign is ${status}, but calls that were already requested could not be withdrawn yet: repeat the request`;
    throw new AppError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: 1 });
  }
  await campaigns.withdrawalDone(id, generation);
}

/** Repeats failed withdrawals, and makes those of campaigns whose hours have closed. */
export async function withdrawPending(deps: Deps): Promise<boolean> {
  const pending = await deps.campaigns.withPendingWithdrawal(BATCH);
  await forEachLimited(pending, CONCURRENCY, (campaign) =>
    withdraw(deps, campaign, { workspaceId: campaign.workspaceId }),
  );
  return pending.length === BATCH;
}
