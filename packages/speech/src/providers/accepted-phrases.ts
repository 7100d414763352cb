/** The limits of a provider; a request that exceeds them is refused. */
type PhraseLimits = {
  count: number;
  /** Of each phrase. */
  characters?: number;
  /** Of all phrases together. */
  totalCharacters?: number;
};

/** The likely phrases that a provider accepts, the first ones first; one that is too long is left out. */
export function acceptedPhrases(
  phrases: readonly string[],
  { count, characters = Number.POSITIVE_INFINITY, totalCharacters = Number.POSITIVE_INFINITY }: PhraseLimits,
): string[] {
  const accepted: string[] = [];
  let left = totalCharacters;
  for (const phrase of phrases) {
    if (phrase.length > Math.min(characters, left)) continue;
    accepted.push(phrase);
    left -= phrase.length;
    if (accepted.length === count) break;
  }
  return accepted;
}
