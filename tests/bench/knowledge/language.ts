/**
 * A made-up language as uneven as real ones: two words of five connect others, and the rest follow the law of Zipf and
 * Mandelbrot. Its commonest words are in two passages of five.
 */
const CONNECTING =
  'the of and to in is you that it for are with as at this have from or had by not but what all we'.split(
    ' ',
  );
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dro fli gra'.split(
  ' ',
);
const WORDS = 20_000;
const HEAD = 20;

/** The n-th most frequent word. */
export function wordAt(n: number): string {
  let rest = n + SYLLABLES.length;
  let word = '';
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}

const words = Array.from({ length: WORDS }, (_, n) => wordAt(n));

/** A word as it comes up in a text. */
export function anyWord(): string {
  if (Math.random() < 0.4) return CONNECTING[Math.floor(Math.random() * CONNECTING.length)] ?? 'the';
  return words[Math.floor(HEAD * (((WORDS + HEAD) / HEAD) ** Math.random() - 1))] ?? wordAt(0);
}

export function text(characters: number): string {
  let out = anyWord();
  while (out.length < characters) out += ` ${anyWord()}`;
  return out;
}
