/**
 * An artificial language with the word frequencies of a real one: two words in five are function words, and the rest follow
 * the Zipf-Mandelbrot law. Its most frequent words are in two of five passages.
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

/** A random word, by its frequency. */
export function anyWord(): string {
  if (Math.random() < 0.4) return CONNECTING[Math.floor(Math.random() * CONNECTING.length)] ?? 'the';
  return words[Math.floor(HEAD * (((WORDS + HEAD) / HEAD) ** Math.random() - 1))] ?? wordAt(0);
}

export function text(characters: number): string {
  let out = anyWord();
  while (out.length < characters) out += ` ${anyWord()}`;
  return out;
}
