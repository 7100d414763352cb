import { after } from './waiting.ts';

/** The first piece may end at a comma after this many characters, because the human is waiting for it. */
const FIRST_CLAUSE_CHARACTERS = 40;
const MIN_SENTENCE_CHARACTERS = 8;
const MAX_SENTENCE_CHARACTERS = 300;
/** A sentence that looks complete is spoken when no further text arrives for this long. */
const COMPLETE_AFTER_MS = 150;

const SENTENCE_END = /[。！？\n]|[.!?…]["'”’)\]]*(?=\s)/gu;
const CLAUSE_END = /[,;:–—](?=\s)/gu;
const COMPLETE = /[.!?…。！？]["'”’)\]]*$/u;
/** A full stop that doesn't end a sentence: an ordinal, an initial, an abbreviation. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\d+|\p{L}|\p{L}\.\p{L}|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Sr|Jr|bzw|ca|etc|Mme|Sra?)\.$/u;

/** Cuts a text that arrives in pieces of any size into sentences, as early as it is certain where they end. */
export async function* sentencesOf(text: AsyncIterable<string>): AsyncGenerator<string, void> {
  const source = text[Symbol.asyncIterator]();
  let buffer = '';
  let isFirst = true;
  try {
    let next = source.next();
    for (;;) {
      const piece = await arrived(next, COMPLETE.test(buffer.trimEnd()));
      if (piece === 'nothing yet') {
        yield buffer.trim();
        buffer = '';
        isFirst = false;
        continue;
      }
      if (piece.done) break;
      buffer += piece.value;
      for (let end = endOf(buffer, isFirst); end > 0; end = endOf(buffer, isFirst)) {
        const sentence = buffer.slice(0, end).trim();
        buffer = buffer.slice(end);
        if (sentence === '') continue;
        yield sentence;
        isFirst = false;
      }
      next = source.next();
    }
    if (buffer.trim() !== '') yield buffer.trim();
  } finally {
    void source.return?.().catch(() => {});
  }
}

async function arrived(
  next: Promise<IteratorResult<string>>,
  isComplete: boolean,
): Promise<IteratorResult<string> | 'nothing yet'> {
  if (!isComplete) return next;
  let cancel = (): void => {};
  const quietFor = new Promise<'nothing yet'>((resolve) => {
    cancel = after(COMPLETE_AFTER_MS, () => resolve('nothing yet'));
  });
  try {
    return await Promise.race([next, quietFor]);
  } finally {
    cancel();
  }
}

/** Where the first sentence of the buffer ends; 0: not known yet. */
function endOf(buffer: string, isFirst: boolean): number {
  for (const match of buffer.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (end > MAX_SENTENCE_CHARACTERS) break;
    const sentence = buffer.slice(0, end);
    const isCertain = match[0] === '\n' || sentence.trim().length >= MIN_SENTENCE_CHARACTERS;
    if (isCertain && !ABBREVIATED.test(sentence)) return end;
  }
  if (isFirst) {
    for (const { index } of buffer.matchAll(CLAUSE_END)) {
      if (index >= FIRST_CLAUSE_CHARACTERS) return index + 1;
    }
  }
  if (buffer.length <= MAX_SENTENCE_CHARACTERS) return 0;
  const space = buffer.lastIndexOf(' ', MAX_SENTENCE_CHARACTERS);
  return space > 0 ? space : MAX_SENTENCE_CHARACTERS;
}
