const MAX_PHRASE_CHARACTERS = 100;
/** Values of the contact that a provider gets however many keywords the assistant has. */
const VALUES_FIRST = 10;
/** More than any provider accepts of values in addition to the keywords. */
const MAX_VALUES = 100;

/**
 * Words that the human of a call is likely to say: the assistant's keywords, and the contact's own values [assistants.21]. A provider uses the
 * first ones that it accepts, so the first values come before the keywords.
 */
export function phrasesOf(
  keywords: readonly string[],
  variables: Readonly<Record<string, unknown>>,
): string[] {
  const isPhrase = (value: unknown): value is string =>
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_PHRASE_CHARACTERS;
  const values = Object.values(variables).filter(isPhrase).slice(0, MAX_VALUES);
  return [...values.slice(0, VALUES_FIRST), ...keywords.filter(isPhrase), ...values.slice(VALUES_FIRST)];
}
