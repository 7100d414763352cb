import { contact } from '@parley/contracts';
import { toCsv, withoutFormula } from '@parley/kit/csv';
import { toContactItem } from '../campaigns/campaign-views.ts';
import type { CampaignStore } from '../campaigns/campaigns.store.ts';
import { campaignNotFound } from '../campaigns/read-campaigns.ts';
import type { ContactStore } from './contacts.store.ts';

type Deps = { campaigns: Pick<CampaignStore, 'find'>; contacts: Pick<ContactStore, 'every'> };

const COLUMNS = Object.keys(contact.shape);

/**
 * All contacts as CSV, read no faster than the client receives them [campaigns.17]. Only names may begin like a formula: numbers may begin
 * with `+`, custom data begins with a brace.
 */
export async function downloadContacts(
  { campaigns, contacts }: Deps,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<{ fileName: string; text: AsyncIterable<string> }> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  const { campaign } = found;
  async function* text(): AsyncGenerator<string> {
    yield toCsv(COLUMNS, [], true);
    for await (const views of contacts.every(campaign)) {
      yield toCsv(
        COLUMNS,
        views
          .map(toContactItem)
          .map((item) => ({ ...item, contact_name: item.contact_name && withoutFormula(item.contact_name) })),
      );
    }
  }
  return { fileName: `campaign-${campaign.id}.csv`, text: text() };
}
