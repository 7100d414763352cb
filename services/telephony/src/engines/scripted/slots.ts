/** Facts that the human mentioned, for tool arguments and the summary. */
export type Slots = { name?: string; number?: string; day?: string; email?: string };

const PATTERNS: Readonly<Record<keyof Slots, RegExp>> = {
  name: /\bmy name is ([\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?)/iu,
  number: /(?<![\d.,])(\d{3,})(?![\d.,]*\d)/,
  day: /\b((?:mon|tues|wednes|thurs|fri|satur|sun)day(?: at \d{1,2}(?::\d{2})?(?: ?[ap]m\b)?)?)/i,
  email: /\b([\w.+-]+@[\w-]+(?:\.[\w-]+)+)\b/,
};

/** Parameter names for these facts, compared without case and separators. */
const ALIASES: Readonly<Record<keyof Slots, readonly string[]>> = {
  name: ['name', 'fullname', 'firstname', 'customername', 'contactname', 'callername'],
  number: [
    'number',
    'ordernumber',
    'orderid',
    'reference',
    'referencenumber',
    'ticket',
    'ticketnumber',
    'caseid',
  ],
  day: ['day', 'date', 'when', 'time', 'appointment', 'slot'],
  email: ['email', 'mail', 'emailaddress'],
};

const NAMES = Object.keys(PATTERNS) as (keyof Slots)[];

/** The facts in one line. */
export function readSlots(line: string): Slots {
  const found = NAMES.flatMap((slot): [keyof Slots, string][] => {
    const value = PATTERNS[slot].exec(line)?.[1];
    return value ? [[slot, value]] : [];
  });
  return Object.fromEntries(found);
}

/** The fact for a tool parameter of this name. */
export function slotFor(parameter: string, slots: Slots): string | undefined {
  const plain = parameter.toLowerCase().replace(/[^a-z]/g, '');
  const slot = NAMES.find((name) => ALIASES[name].includes(plain));
  return slot && slots[slot];
}

/** "Alex, 48213 and Friday at 10", or nothing. */
export function sumUp({ name, number, day, email }: Slots): string {
  const known = [name, number, day, email].filter((value) => value !== undefined);
  return known.length < 2 ? (known[0] ?? '') : `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`;
}
