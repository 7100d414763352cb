import type { ContactInput } from '@parley/contracts';
import type { ColumnUse } from './contact-columns.ts';
import { readPhoneNumber } from './phone-number.ts';

/** A row that cannot be called. `row` is its number in the file, as spreadsheets count. */
export type BadRow = { row: number; number: string; name: string; problem: string };

export type CheckedList = {
  contacts: ContactInput[];
  bad: BadRow[];
  /** Contacts whose number occurred before in the list. */
  repeated: number;
};

type Input = {
  rows: readonly (readonly string[])[];
  /** Rows before the first contact: 1 with titles. */
  skip: number;
  columns: readonly ColumnUse[];
  countryCode: string;
  /** Numbers that a person corrected, by row. */
  corrections: Readonly<Record<number, string>>;
};

const MAX_NAME = 255;
const MAX_VARIABLES_BYTES = 15 * 1024;

/** The contacts of a list, and what is wrong with the other rows. Empty rows are ignored. */
export function checkContacts(input: Input): CheckedList {
  const { rows, skip, columns } = input;
  const phone = columns.findIndex(({ use }) => use === 'phone');
  const name = columns.findIndex(({ use }) => use === 'name');
  const checked: CheckedList = { contacts: [], bad: [], repeated: 0 };
  const seen = new Set<string>();
  for (let i = skip; i < rows.length; i += 1) {
    const cells = rows[i] ?? [];
    const row = i + 1;
    if (cells.every((cell) => cell.trim() === '')) continue;
    const number = input.corrections[row] ?? cells[phone] ?? '';
    const contactName = (cells[name] ?? '').trim();
    const read = toContact(number, contactName, variablesOf(cells, columns), input.countryCode);
    if ('problem' in read) {
      checked.bad.push({ row, number, name: contactName, problem: read.problem });
      continue;
    }
    if (seen.has(read.phone_number)) checked.repeated += 1;
    seen.add(read.phone_number);
    checked.contacts.push(read);
  }
  return checked;
}

function toContact(
  number: string,
  name: string,
  variables: Record<string, string>,
  countryCode: string,
): ContactInput | { problem: string } {
  const read = readPhoneNumber(number, countryCode);
  if ('problem' in read) return read;
  if (name.length > MAX_NAME) return { problem: `The name has more than ${MAX_NAME} characters` };
  const isLarge = new TextEncoder().encode(JSON.stringify(variables)).length > MAX_VARIABLES_BYTES;
  if (isLarge) return { problem: 'The variables of this row have more than 15 KiB' };
  return {
    phone_number: read.number,
    ...(name === '' ? {} : { contact_name: name }),
    ...(Object.keys(variables).length === 0 ? {} : { custom_data: variables }),
  };
}

/** Names such as `__proto__` are data, which an assignment would lose. */
function variablesOf(cells: readonly string[], columns: readonly ColumnUse[]): Record<string, string> {
  return Object.fromEntries(
    columns.flatMap((column, i): [string, string][] => {
      const value = (cells[i] ?? '').trim();
      return column.use === 'variable' && value !== '' ? [[column.name, value]] : [];
    }),
  );
}
