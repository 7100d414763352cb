import type { retireFromCampaigns as endpoint, ResponseOf } from '@parley/contracts';
import type { Pillar, Retirements } from './ports.ts';

type Input = Pillar & { workspaceId: string };

/** An assistant or a number is about to be deleted: from here on no campaign is created on it, or one is there (D3.1, D5.4). */
export async function retireFromCampaigns(
  { retirements }: { retirements: Pick<Retirements, 'retire'> },
  { workspaceId, ...pillar }: Input,
): Promise<ResponseOf<typeof endpoint>> {
  const { live, receipt } = await retirements.retire(workspaceId, pillar);
  return {
    receipt,
    blocked_by: live ? { campaign_id: live.id, campaign_name: live.name, status: live.status } : null,
  };
}
