/** About enough to answer one question: a model reads a few passages, never a whole document. */
const ABOUT_CHARACTERS = 1000;
/** An earlier break would leave too little, such as just a heading. */
const MIN_CHARACTERS = 300;
/** A slightly longer rest is not cut again. */
const MAX_CHARACTERS = 1200;

/** Places to cut, best first: after a paragraph, a line, a sentence, a word. */
const BREAKS = [/\n[^\S\n]*\n\s*/g, /\n\s*/g, /[.!?…][\p{Pe}\p{Pf}"']*\s+|[。！？]\s*/gu, /\s+/g];

/** Cuts a text into passages; joined they are exactly the text. */
export function splitText(text: string): string[] {
  const passages: string[] = [];
  let from = 0;
  while (text.length - from > MAX_CHARACTERS) {
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
    if (end >= MIN_CHARACTERS) return end;
  }
  // No place to cut: do not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length;
}
