import { AppError } from '@parley/kit/errors';
import type { ListAnswer } from '@parley/kit/http';
import { type CampaignView, toCampaignView, toContactItem, toListItem } from './campaign-views.ts';
import type { CampaignFilter, CampaignStore } from './ports.ts';

type Deps = { campaigns: CampaignStore };
type Which = { workspaceId: string; id: string };

/** D7.1: on every campaign route. */
export function campaignNotFound(): AppError {
  return new AppError('CAMPAIGN_NOT_FOUND', 'Campaign not found');
}

/** spec: GET /v1/campaigns/{id} */
export async function getCampaign({ campaigns }: Deps, { workspaceId, id }: Which): Promise<CampaignView> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  return toCampaignView(found);
}

/** spec: GET /v1/campaigns; D7.5 */
export async function listCampaigns(
  { campaigns }: Deps,
  filter: CampaignFilter,
): Promise<ListAnswer<ReturnType<typeof toListItem>>> {
  const { items, total } = await campaigns.list(filter);
  return { items: items.map(toListItem), total, nextCursor: nextOffset(filter, items.length, total) };
}

type ContactPage = Which & Parameters<CampaignStore['contacts']>[1];

/** D7.6 */
export async function listContacts(
  { campaigns }: Deps,
  { workspaceId, id, ...page }: ContactPage,
): Promise<ListAnswer<ReturnType<typeof toContactItem>>> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  const { items, total } = await campaigns.contacts(found.campaign, page);
  return { items: items.map(toContactItem), total, nextCursor: nextOffset(page, items.length, total) };
}

/** D1.4: the next offset as a string, null at the end. */
function nextOffset({ offset }: { offset: number }, count: number, total: number): string | null {
  const next = offset + count;
  return count > 0 && next < total ? String(next) : null;
}
