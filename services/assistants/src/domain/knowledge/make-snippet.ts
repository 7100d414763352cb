import { type Word, wordsOf } from './words.ts';

const MARK = '**';
/** From the first to the last marked word, and about the length of a snippet. */
const SPAN = 200;
const ABOUT_CHARACTERS = 240;

/**
 * The part of a passage that has most of what was looked for, with the words that were found between `**`. It is plain
 * text: nothing is taken out of it or escaped, and white space is made one space.
 */
export function makeSnippet(text: string, found: ReadonlySet<string>): string {
  const words = wordsOf(text);
  const hits = words.filter(({ word }) => found.has(word));
  const [first, last] = densest(hits);
  const spare = Math.max(0, ABOUT_CHARACTERS - (last - first)) / 2;
  const start = wordStart(words, first - spare);
  const end = wordEnd(words, Math.max(last + spare, start + ABOUT_CHARACTERS), text.length);
  const body = marked(text, hits, start, end).replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '… ' : ''}${body}${end < text.length ? ' …' : ''}`;
}

/** The stretch of hits with the most different words, the earliest of them. */
function densest(hits: readonly Word[]): [first: number, last: number] {
  let best = { count: 0, first: 0, last: 0 };
  hits.forEach(({ start }, i) => {
    const inside = hits.slice(i).filter(({ end }) => end <= start + SPAN);
    const count = new Set(inside.map(({ word }) => word)).size;
    if (count > best.count) best = { count, first: start, last: inside.at(-1)?.end ?? start };
  });
  return [best.first, best.last];
}

function wordStart(words: readonly Word[], at: number): number {
  return at <= 0 ? 0 : (words.find(({ start }) => start >= at)?.start ?? 0);
}

function wordEnd(words: readonly Word[], at: number, length: number): number {
  return at >= length ? length : (words.findLast(({ end }) => end <= at)?.end ?? Math.ceil(at));
}

function marked(text: string, hits: readonly Word[], from: number, to: number): string {
  let out = '';
  let at = from;
  let open = false;
  for (const { start, end } of hits) {
    if (start < from || end > to) continue;
    // Neighbours of a script without spaces overlap: they are marked as one.
    if (open && start > at) {
      out += MARK;
      open = false;
    }
    out += text.slice(at, Math.max(at, start));
    if (!open) out += MARK;
    out += text.slice(Math.max(at, start), end);
    at = Math.max(at, end);
    open = true;
  }
  return `${out}${open ? MARK : ''}${text.slice(at, to)}`;
}
