import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const filesLike = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => existsSync(join(ROOT, path)));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('Documents', () => {
  it.each(filesLike('*.md'))('%s links to files and headings that exist', (document) => {
    const links = [...read(document).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, link]) => String(link));
    expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });

  it('contain no conflict of a merge', () => {
    const texts = filesLike('*.md', '*.yml', '*.yaml', '*.json', '*.txt', '.env.example');
    expect(texts.filter((path) => /^(<{7}|>{7}) /m.test(read(path)))).toEqual([]);
  });
});

function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(read(target)).includes(anchor);
}

/** Those of headings as GitHub makes them, and explicit ones. */
function anchorsOf(text: string): string[] {
  const explicit = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => String(id));
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    String(title)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
  return [...explicit, ...headings];
}
