/** About as much as answers one question: a model reads a few passages, never a whole document. */
const ABOUT_CHARACTERS = 1000;
/** A break that comes earlier would leave too little, such as a heading alone. */
const AT_LEAST = 300;
/** What is left is not cut again for a few words more. */
const AT_MOST = 1200;

/** Where a text is cut, the best kind of place first: after a paragraph, a line, a sentence, a word. */
const BREAKS = [/\n[^\S\n]*\n\s*/g, /\n\s*/g, /[.!?…][\p{Pe}\p{Pf}"']*\s+|[。！？]\s*/gu, /\s+/g];

/** Cuts a text into passages at the best places; put together they are the text again, to the character. */
export function splitText(text: string): string[] {
  const passages: string[] = [];
  let from = 0;
  while (text.length - from > AT_MOST) {
    const window = text.slice(from, from + ABOUT_CHARACTERS);
    const length = lengthOf(window);
    passages.push(window.slice(0, length));
    from += length;
  }
  passages.push(text.slice(from));
  return passages;
}

function lengthOf(window: string): number {
  for (const kind of BREAKS) {
    let end = 0;
    for (const match of window.matchAll(kind)) end = match.index + match[0].length;
    if (end >= AT_LEAST) return end;
  }
  // Nowhere to cut: a character that takes two places stays whole.
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length;
}
