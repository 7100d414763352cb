// Text is spoken sentence by sentence: the first audio arrives early, and at least the heard sentences are known.

/** A sentence ends here: a mark, closing quotes, and space after it; marks of Chinese and Japanese need none. */
const SENTENCE_END = /[.!?…]+["'”’»)\]]*\s+|[。！？]+["'”’」』)\]]*|\n+/gu;
const CLAUSE_END = /[,;:–—]\s+/gu;
const ABBREVIATION =
  /(?:^|[\s("'])(?:mrs?|ms|dr|prof|st|no|nr|vs|approx|dept|inc|ltd|jr|sr|bzw|ca|usw|tel|str|\d{1,2}|\p{L}|(?:\p{L}\.)+\p{L})\.\s+$/iu;
/** A first piece longer than this is cut at a clause, so that its audio comes early. */
const FIRST_PIECE_MAX = 60;
const FIRST_PIECE_MIN = 20;
/** A longer piece without any mark is cut at a space. */
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

/** Length of the first piece, or 0 if the buffer has no complete one. */
function nextCut(buffer: string, isFirst: boolean): number {
  for (const match of buffer.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    const isSpoken = /[\p{L}\p{N}]/u.test(buffer.slice(0, end));
    if (isSpoken && !ABBREVIATION.test(buffer.slice(0, end))) {
      return isFirst && end > FIRST_PIECE_MAX ? clauseCut(buffer.slice(0, end)) || end : end;
    }
  }
  if (isFirst && buffer.length > FIRST_PIECE_MAX) {
    const cut = clauseCut(buffer);
    if (cut > 0) return cut;
  }
  if (buffer.length <= PIECE_MAX) return 0;
  const space = buffer.lastIndexOf(' ', PIECE_MAX);
  return space > 0 ? space + 1 : PIECE_MAX;
}

/** End of the first clause that is long enough to be spoken alone, or 0. */
function clauseCut(text: string): number {
  for (const match of text.matchAll(CLAUSE_END)) {
    const end = match.index + match[0].length;
    if (end >= FIRST_PIECE_MIN && end < text.length) return end;
  }
  return 0;
}
