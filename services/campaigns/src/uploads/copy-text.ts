import type { ContactInput } from '@parley/contracts';
import { newId } from '@parley/kit/ids';

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Columns of `contactLines`. */
export const CONTACT_COLUMNS = 'campaign_id, id, phone_number, contact_name, custom_data';

/** Contacts as lines of COPY's text format; each gets its id, in their order. */
export function contactLines(
  campaignId: string,
  contacts: readonly ContactInput[],
): { text: string; ids: string[] } {
  let text = '';
  const ids: string[] = [];
  for (const { phone_number, contact_name, custom_data } of contacts) {
    const name = contact_name === undefined ? '\\N' : copyField(contact_name);
    const data = custom_data === undefined ? '\\N' : copyField(JSON.stringify(custom_data));
    const id = newId();
    ids.push(id);
    text += `${campaignId}\t${id}\t${phone_number}\t${name}\t${data}\n`;
  }
  return { text, ids };
}

function copyField(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char) : text;
}
