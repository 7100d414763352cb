// Text is spoken sentence by sentence: the first audio arrives early, and at least the heard sentences are known.

/**
 * A sentence ends here: a mark, closing quotes, and space after it; marks of Chinese and Japanese need none. It begins at the first of several
 * marks alone, else a long row of them needs time in proportion to its square.
 */
const SENTENCE_END = /(?<![.!?…])[.!?…]+["'”’»)\]]*\s+|[。！？]+["'”’」』)\]]*|\n+/gu;
const CLAUSE_END = /[,;:–—]\s+/gu;
/** What stands before a full stop that doesn't end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("'])(?:mrs?|ms|dr|prof|st|no|nr|vs|approx|dept|inc|ltd|jr|sr|bzw|ca|usw|tel|str|\d{1,2}|\p{L}|(?:\p{L}\.)+\p{L})$/iu;
/** Even, because letters with full stops between them have an odd length: none is taken for whole when it is cut. */
const ABBREVIATION_MAX = 24;
/** A first piece longer than this is cut at a clause, so that its audio comes early. */
const FIRST_PIECE_MAX = 60;
const FIRST_PIECE_MIN = 20;
/** A longer piece is cut at a space. */
const PIECE_MAX = 300;

/** Splits a text into sentences as it arrives. The concatenated pieces are the text. */
export async function* sentencesOf(text: string | AsyncIterable<string>): AsyncGenerator<string> {
  let buffer = '';
  let isFirst = true;
  for await (const part of typeof text === 'string' ? [text] : text) {
    buffer += part;
    for (let end = nextCut(buffer, isFirst); end > 0; end = nextCut(buffer, isFirst)) {
      yield buffer.slice(0, end);
      buffer = buffer.slice(end);
      isFirst = false;
    }
  }
  if (buffer !== '') yield buffer;
}

/** Length of the first piece, or 0 if the buffer has no complete one. Looks at no more of the buffer than a piece may have. */
function nextCut(buffer: string, isFirst: boolean): number {
  const start = buffer.slice(0, PIECE_MAX + 1);
  const end = sentenceCut(start);
  if (end > 0) return isFirst && end > FIRST_PIECE_MAX ? clauseCut(start.slice(0, end)) || end : end;
  if (isFirst && start.length > FIRST_PIECE_MAX) {
    const cut = clauseCut(start);
    if (cut > 0) return cut;
  }
  if (buffer.length <= PIECE_MAX) return 0;
  const space = start.lastIndexOf(' ');
  if (space > 0) return space + 1;
  return isHighSurrogate(start.charCodeAt(PIECE_MAX - 1)) ? PIECE_MAX - 1 : PIECE_MAX;
}

/** End of the first sentence, or 0. */
function sentenceCut(text: string): number {
  const spokenAt = text.search(/[\p{L}\p{N}]/u);
  if (spokenAt < 0) return 0;
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    const before = text.slice(Math.max(0, index - ABBREVIATION_MAX), index);
    if (spokenAt < index && !(/^\.\s/.test(mark) && ABBREVIATION.test(before))) return index + mark.length;
  }
  return 0;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** End of the first clause that is long enough to be spoken alone, or 0. */
function clauseCut(text: string): number {
  for (const match of text.matchAll(CLAUSE_END)) {
    const end = match.index + match[0].length;
    if (end >= FIRST_PIECE_MIN && end < text.length) return end;
  }
  return 0;
}
