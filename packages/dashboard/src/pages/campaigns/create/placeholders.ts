const PLACEHOLDER = /\{\{\s*([^\s{}](?:[^{}]*?[^\s{}])?)\s*\}\}/g;

/** A piece of a filled text: literal, or the value of a placeholder; `value` is empty where the contact has none. */
export type Piece = { text: string } | { placeholder: string; value: string };

/** The names of a text's `{{placeholders}}`, each once, in order. */
export function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** The text as this contact would hear it, with the values apart so that they can be marked. */
export function fillText(text: string, variables: ReadonlyMap<string, string>): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    const name = match[1] ?? '';
    pieces.push({ placeholder: name, value: variables.get(name) ?? '' });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

type Contact = { contact_name?: string | undefined; custom_data?: Record<string, unknown> | undefined };

/** What `{{placeholders}}` of a contact's call are replaced by [campaigns.4]. */
export function variablesOfContact({ contact_name, custom_data = {} }: Contact): Map<string, string> {
  const own = Object.entries(custom_data).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new Map([...(contact_name === undefined ? [] : [['contact_name', contact_name] as const]), ...own]);
}

/** For each placeholder that some contacts have no value for: how many. */
export function missingValues(
  placeholders: readonly string[],
  contacts: readonly Contact[],
): { placeholder: string; contacts: number }[] {
  const counts = new Map(placeholders.map((placeholder) => [placeholder, 0]));
  for (const contact of contacts) {
    for (const placeholder of placeholders) {
      const isThere =
        Object.hasOwn(contact.custom_data ?? {}, placeholder) ||
        (placeholder === 'contact_name' && contact.contact_name !== undefined);
      if (!isThere) counts.set(placeholder, (counts.get(placeholder) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([placeholder, count]) => ({ placeholder, contacts: count }));
}
