import { AppError } from '@parley/kit/errors';
import { type ListPage, toOffsetPage } from '@parley/kit/http';
import type { ContactStore } from '../contacts/contacts.store.ts';
import { type CampaignView, toCampaignView, toContactItem } from './campaign-views.ts';
import type { CampaignFilter, CampaignStore } from './campaigns.store.ts';

type Deps = { campaigns: Pick<CampaignStore, 'find' | 'list'>; contacts: Pick<ContactStore, 'list'> };
type Key = { workspaceId: string; id: string };

/** [campaigns.6] */
export function campaignNotFound(): AppError {
  return new AppError('CAMPAIGN_NOT_FOUND', 'Campaign not found');
}

/** `GET /v1/campaigns/{id}` */
export async function getCampaign({ campaigns }: Deps, { workspaceId, id }: Key): Promise<CampaignView> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  return toCampaignView(found);
}

/** `GET /v1/campaigns` [campaigns.15] */
export async function listCampaigns(
  { campaigns }: Deps,
  filter: CampaignFilter,
): Promise<ListPage<CampaignView>> {
  const { items, total } = await campaigns.list(filter);
  return toOffsetPage(filter, { items: items.map(toCampaignView), total });
}

/** `GET /v1/campaigns/{id}/contacts` [campaigns.16] */
export async function listContacts(
  { campaigns, contacts }: Deps,
  { workspaceId, id, ...page }: Key & Parameters<ContactStore['list']>[1],
): Promise<ListPage<ReturnType<typeof toContactItem>>> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  const { items, total } = await contacts.list(found.campaign, page);
  return toOffsetPage(page, { items: items.map(toContactItem), total });
}
