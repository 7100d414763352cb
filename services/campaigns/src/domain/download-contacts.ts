import { contact } from '@parley/contracts';
import { stringify } from 'csv-stringify/sync';
import { toContactItem } from './campaign-views.ts';
import type { CampaignStore } from './ports.ts';
import { campaignNotFound } from './read-campaigns.ts';

type Deps = { campaigns: Pick<CampaignStore, 'find' | 'everyContact'> };

const COLUMNS = Object.keys(contact.shape);
/** A lone CR or LF is quoted as well: many a reader takes it for the end of a row. */
const FORM = { columns: COLUMNS, record_delimiter: '\r\n', quoted_match: /[\r\n]/ } as const;
const toCsv = (rows: object[], header = false): string => stringify(rows, { ...FORM, header });

/** D7.6: all contacts as CSV (RFC 4180), made while they are read: no faster than the client takes them. */
export async function downloadContacts(
  { campaigns }: Deps,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<{ fileName: string; text: AsyncIterable<string> }> {
  const found = await campaigns.find(workspaceId, id);
  if (!found) throw campaignNotFound();
  const { campaign } = found;
  async function* text(): AsyncGenerator<string> {
    yield toCsv([], true);
    for await (const views of campaigns.everyContact(campaign)) {
      const items = views.map(toContactItem);
      yield toCsv(
        items.map((item) => ({ ...item, contact_name: item.contact_name && harmless(item.contact_name) })),
      );
    }
  }
  return { fileName: `campaign-${campaign.id}.csv`, text: text() };
}

/** What spreadsheets take for a formula when a text begins with it. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Names are whatever somebody typed into the client's forms, and must not run in the spreadsheet of whoever opens the
 * file. Everything else is of our own form: a number may begin with `+`, custom data begins with a brace.
 */
function harmless(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
