import { contact } from '@parley/contracts';
import { stringify } from 'csv-stringify/sync';
import { toContactItem } from '../campaigns/campaign-views.ts';
import type { CampaignStore } from '../campaigns/campaigns.store.ts';
import { campaignNotFound } from '../campaigns/read-campaigns.ts';
import type { ContactStore } from './contacts.store.ts';

type Deps = { campaigns: Pick<CampaignStore, 'find'>; contacts: Pick<ContactStore, 'every'> };

/** A lone CR or LF is quoted too: many readers treat it as the end of a row. */
const FORMAT = {
  columns: Object.keys(contact.shape),
  record_delimiter: '\r\n',
  quoted_match: /[\r\n]/,
} as const;
const toCsv = (rows: object[], header = false): string => stringify(rows, { ...FORMAT, header });

/** All contacts as CSV (RFC 4180), read no faster than the client receives them [campaigns.17]. */
export async function downloadContacts(
  { campaigns, contacts }: Deps,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<{ fileName: string; text: AsyncIterable<string> }> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  const { campaign } = found;
  async function* text(): AsyncGenerator<string> {
    yield toCsv([], true);
    for await (const views of contacts.every(campaign)) {
      yield toCsv(
        views
          .map(toContactItem)
          .map((item) => ({ ...item, contact_name: item.contact_name && withoutFormula(item.contact_name) })),
      );
    }
  }
  return { fileName: `campaign-${campaign.id}.csv`, text: text() };
}

const FORMULA = /^[=+\-@\t\r]/;

/**
 * Spreadsheets evaluate text that begins like a formula, and names may come from anyone. The other columns have a form of our
 * own: numbers may begin with `+`, custom data begins with a brace.
 */
function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
