const PLACEHOLDER = /\{\{\s*([^\s{}](?:[^{}]*?[^\s{}])?)\s*\}\}/g;

/** Replaces `{{name}}` by the variable's value; unknown names become empty and are listed [campaigns.4]. */
export function fillPlaceholders(
  text: string,
  variables: Readonly<Record<string, unknown>>,
): { text: string; unresolved: string[] } {
  const unresolved = new Set<string>();
  const filled = text.replace(PLACEHOLDER, (_, name: string) => {
    if (Object.hasOwn(variables, name)) return toText(variables[name]);
    unresolved.add(name);
    return '';
  });
  return { text: filled, unresolved: [...unresolved] };
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
