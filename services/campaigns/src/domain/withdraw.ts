import { AppError } from '@parley/kit/errors';
import { forEach } from './for-each.ts';
import type { Asker, CampaignStore, Telephony, Withdrawal } from './ports.ts';

type Deps = { campaigns: CampaignStore; telephony: Pick<Telephony, 'withdraw'> };

const BATCH = 50;

/** Has telephony take back every request of the campaign that has not left for the carrier. Repeating it is safe. */
export async function withdraw(
  { campaigns, telephony }: Deps,
  { id, status, generation }: Omit<Withdrawal, 'workspaceId'>,
  asker: Asker,
): Promise<void> {
  try {
    await telephony.withdraw(id, generation, asker);
  } catch (cause) {
    const message = `The campaign is ${status}, but calls that were asked for before could not be taken back yet: repeat the request`;
    throw new AppError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: 1 });
  }
  await campaigns.withdrawalDone(id, generation);
}

/** The withdrawals that a verb could not make, and those of campaigns whose hours have closed. */
export async function withdrawOwed(deps: Deps): Promise<boolean> {
  const owing = await deps.campaigns.owingWithdrawal(BATCH);
  await forEach(owing, (campaign) => withdraw(deps, campaign, { workspaceId: campaign.workspaceId }));
  return owing.length === BATCH;
}
