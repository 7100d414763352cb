import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '@parley/devstack';

// What each page of the dashboard loads at first, from the manifest of its build. What a page loads when something is opened does not
// count; that a page does not load more than this by itself is tested in the browser (shell.suite.ts).

const DIST = join(ROOT, 'packages/dashboard/dist');
/** 10 kB of the 200 of [dashboard.24] stay free for what comes next. */
const MAX_BYTES = 190_000;
/** Of pages that begin with a list to choose from, which takes 32 kB. */
const MAX_BYTES_WITH_CHOICE = 195_500;
const WITH_CHOICE = ['number-page.tsx', 'new-campaign-page.tsx'];

type Chunk = { file: string; isEntry?: boolean; imports?: string[] };

describe('the first load of every page', () => {
  it('leaves room below 200 kB of script, compressed with brotli [dashboard.24]', async () => {
    const chunks: Record<string, Chunk> = JSON.parse(await readFile(join(DIST, 'manifest.json'), 'utf8'));
    const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? '';
    const pages = Object.keys(chunks).filter((name) => name.endsWith('-page.tsx'));
    expect(pages.length).toBeGreaterThan(15);
    const tooLarge: string[] = [];
    for (const page of pages) {
      const bytes = await bytesOf(chunks, [entry, page]);
      expect(bytes).toBeGreaterThan(50_000);
      const max = WITH_CHOICE.includes(basename(page)) ? MAX_BYTES_WITH_CHOICE : MAX_BYTES;
      if (bytes > max) tooLarge.push(`${page}: ${bytes}`);
    }
    expect(tooLarge).toEqual([]);
  });
});

/** Of these chunks and all that they import. */
async function bytesOf(chunks: Readonly<Record<string, Chunk>>, names: readonly string[]): Promise<number> {
  const files = new Map<string, string>();
  const add = (name: string): void => {
    const chunk = chunks[name];
    if (!chunk || files.has(name)) return;
    files.set(name, chunk.file);
    chunk.imports?.forEach(add);
  };
  names.forEach(add);
  const sizes = await Promise.all([...files.values()].filter((file) => file.endsWith('.js')).map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Small files are not compressed. */
async function sizeOf(file: string): Promise<number> {
  const compressed = await stat(join(DIST, `${file}.br`)).catch((err: NodeJS.ErrnoException) => {
    if (err.code !== 'ENOENT') throw err;
    return stat(join(DIST, file));
  });
  return compressed.size;
}
