import { type Word, wordsOf } from './words.ts';

const MARK = '**';
/** Maximum distance of marked words, and approximate length of a snippet. */
const SPAN = 200;
const ABOUT_CHARACTERS = 240;

/**
 * The part of a passage with the most matching words, which are enclosed in `**`. Plain text: nothing is removed or
 * escaped, whitespace becomes single spaces.
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

/** The range with the most distinct matches; the earliest one. */
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
    // Adjacent matches in scripts without spaces overlap: mark them together.
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
