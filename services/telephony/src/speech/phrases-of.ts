const MAX_PHRASES = 50;
const MAX_PHRASE_CHARACTERS = 60;

/** Words that the human of a call is likely to say: the assistant's keywords, and the contact's own values. */
export function phrasesOf(
  keywords: readonly string[],
  variables: Readonly<Record<string, unknown>>,
): string[] {
  return [...keywords, ...Object.values(variables)]
    .filter((value): value is string => typeof value === 'string')
    .filter((value) => value.trim() !== '' && value.length <= MAX_PHRASE_CHARACTERS)
    .slice(0, MAX_PHRASES);
}
