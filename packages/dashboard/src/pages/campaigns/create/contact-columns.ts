/** What a column of the list becomes: the number to call, the contact's name, a variable of that name, or nothing. */
export type ColumnUse =
  | { use: 'phone' }
  | { use: 'name' }
  | { use: 'variable'; name: string }
  | { use: 'ignore' };

const PHONE_TITLE = /phone|number|mobile|cell|telefon|tel\b|handy|rufnummer|msisdn/i;
const NAME_TITLE = /^(?:contact[ _]?)?(?:full[ _]?)?name$|^contact$|^customer(?:[ _]name)?$|^kunde$/i;
const SAMPLE = 25;

/** Whether the first row names the columns: none of its cells looks like a phone number, or the list has no other row. */
export function hasTitles(rows: readonly (readonly string[])[]): boolean {
  const [first = []] = rows;
  return !first.some(looksLikeNumber);
}

/** Names of the columns; unnamed ones are numbered, and repeated names get a number. */
export function titlesOf(rows: readonly (readonly string[])[], isTitled: boolean): string[] {
  const width = rows.slice(0, 200).reduce((most, row) => Math.max(most, row.length), 0);
  const taken = new Map<string, number>();
  return Array.from({ length: width }, (_, i) => {
    const title = (isTitled ? rows[0]?.[i]?.trim() : '') || `Column ${i + 1}`;
    const times = (taken.get(title) ?? 0) + 1;
    taken.set(title, times);
    return times === 1 ? title : `${title} ${times}`;
  });
}

/**
 * A first mapping, by titles and by what the cells look like. A column whose title matches a placeholder of the assistant up to case
 * and spelling becomes that variable.
 */
export function guessColumns(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  placeholders: readonly string[],
): ColumnUse[] {
  const phone = guessPhone(titles, rows);
  const name = titles.findIndex((title, i) => i !== phone && NAME_TITLE.test(title.trim()));
  return titles.map((title, i): ColumnUse => {
    if (i === phone) return { use: 'phone' };
    if (i === name) return { use: 'name' };
    if (rows.slice(0, SAMPLE).every((row) => (row[i] ?? '').trim() === '')) return { use: 'ignore' };
    const meant = placeholders.find((placeholder) => plain(placeholder) === plain(title));
    return { use: 'variable', name: meant ?? title.trim() };
  });
}

function guessPhone(titles: readonly string[], rows: readonly (readonly string[])[]): number {
  const scores = titles.map((title, i) => {
    const cells = rows.slice(0, SAMPLE).map((row) => row[i] ?? '');
    const likely = cells.filter(looksLikeNumber).length / Math.max(1, cells.length);
    return likely + (PHONE_TITLE.test(title) ? 0.5 : 0);
  });
  const best = Math.max(...scores, 0);
  return best > 0.3 ? scores.indexOf(best) : -1;
}

const plain = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function looksLikeNumber(cell: string): boolean {
  const digits = cell.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 17 && /^[\s'+(]*\d[\d\s().\-/\u00a0]*$/.test(cell);
}
