/** `{{name}}` as calls read it: any name without braces, and spaces around it. */
const PLACEHOLDER = /\{\{\s*([^\s{}](?:[^{}]*?[^\s{}])?)\s*\}\}/g;

export type Placeholder = { name: string; from: number; to: number };

export function findPlaceholders(text: string): Placeholder[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    name: match[1] ?? '',
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** The names in several texts, each once, in order. */
export function placeholderNames(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => findPlaceholders(text).map(({ name }) => name)))];
}

/** Braces that look like a placeholder and are none, which calls would read out. */
export function brokenPlaceholders(text: string): { from: number; to: number }[] {
  const whole = findPlaceholders(text);
  return [...text.matchAll(/\{\{|\}\}/g)]
    .filter(({ index }) => !whole.some(({ from, to }) => index >= from && index < to))
    .map(({ index }) => ({ from: index, to: index + 2 }));
}
