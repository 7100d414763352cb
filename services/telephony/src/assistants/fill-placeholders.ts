const PLACEHOLDER = /\{\{\s*([^\s{}](?:[^{}]*?[^\s{}])?)\s*\}\}/g;

/**
 * Replaces `{{name}}` by the variable's value; unknown names become empty and are listed [campaigns.4]. Undefined: the result has more
 * than `maxCharacters`, and is not built any further [trust.29].
 */
export function fillPlaceholders(
  text: string,
  variables: Readonly<Record<string, unknown>>,
  maxCharacters: number,
): { text: string; unresolved: string[] } | undefined {
  const unresolved = new Set<string>();
  let filled = '';
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [placeholder, name = ''] = match;
    filled += text.slice(end, match.index);
    end = match.index + placeholder.length;
    if (Object.hasOwn(variables, name)) filled += toText(variables[name]);
    else unresolved.add(name);
    if (filled.length > maxCharacters) return undefined;
  }
  filled += text.slice(end);
  return filled.length > maxCharacters ? undefined : { text: filled, unresolved: [...unresolved] };
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
