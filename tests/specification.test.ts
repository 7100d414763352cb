import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** One page each. */
const AREAS = readdirSync(`${ROOT}docs/specification`)
  .filter((page) => page !== 'README.md')
  .map((page) => page.replace('.md', ''));
const REFERENCE = new RegExp(`\\[((?:${AREAS.join('|')})\\.\\d+)\\]`, 'g');

const files = execFileSync('git', ['ls-files', '*.ts', '*.md', '*.mjs'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .map((path) => ({ path, text: readIfThere(`${ROOT}${path}`) }));

const specification = files.filter(({ path }) => path.startsWith('docs/specification/'));
const anchors = specification.flatMap(({ text }) =>
  [...text.matchAll(/<a id="([a-z-]+\.\d+)">/g)].map(([, id]) => id ?? ''),
);

/** A title of a test or a group, with its indentation. */
const TITLE =
  /^( *)(?:(?:describe|it|test)(?:\.\w+)*(?:\(.*\)(?=\())?|\].*\))\(\s*(['"`])((?:\\.|(?!\2).)*)\2/gm;

const testFiles = files.filter(({ path }) => /\.(test|suite)\.ts$/.test(path));

// The tests see that a rule has tests, not that these test it: read the list where that is in doubt (docs/development.md).
const { LIST_RULES } = process.env;
if (LIST_RULES) process.stdout.write(reviewList(LIST_RULES));

describe('The specification', () => {
  it('defines every anchor once, on the page of its area', () => {
    expect(anchors.length).toBeGreaterThan(150);
    expect(anchors.filter((id, index) => anchors.indexOf(id) !== index)).toEqual([]);
    const misplaced = specification.flatMap(({ path, text }) =>
      [...text.matchAll(/<a id="([a-z-]+)\.\d+">/g)]
        .filter(([, area]) => path !== `docs/specification/${area}.md`)
        .map(([id]) => `${path}: ${id}`),
    );
    expect(misplaced).toEqual([]);
  });

  it('has every rule that code, tests and documents refer to', () => {
    const unknown = files.flatMap(({ path, text }) =>
      [...text.matchAll(REFERENCE)]
        .filter(([, id]) => !anchors.includes(id ?? ''))
        .map(([reference]) => `${path}: ${reference}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has at least one test for every rule', () => {
    const tested = new Set(
      testFiles.flatMap(({ text }) => [...text.matchAll(REFERENCE)].map(([, id]) => id)),
    );
    expect(anchors.filter((id) => !tested.has(id))).toEqual([]);
  });

  it('can be listed with the titles of its tests', () => {
    const list = reviewList('dashboard.9');
    expect(list).toContain('A page that misses changes looks live for at most half a minute.');
    expect(list).toContain('services/gateway/src/events/event-streams.test.ts');
    expect(list).toContain('streams end, and new ones are refused');
    expect(list).not.toContain('dashboard.8');
    expect(reviewList('dashboard').match(/^dashboard\.\d+:/gm)?.length).toBeGreaterThan(50);
  });

  it('is the only specification that the repository refers to', () => {
    const foreign = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\bD\d{1,2}\.\d{1,2}\b|\(spec[:)]|\bspec: /g)].map(
        ([reference]) => `${path}: ${reference}`,
      ),
    );
    expect(foreign.filter((line) => !line.startsWith('tests/specification.test.ts'))).toEqual([]);
  });
});

/** The rules of an area, one rule, or `all`, each with its text and the titles of its tests. */
function reviewList(which: string): string {
  return anchors
    .filter((id) => which === 'all' || id === which || id.startsWith(`${which}.`))
    .map((id) => [`${id}: ${ruleOf(id)}`, ...testFiles.flatMap((file) => testsOf(id, file))].join('\n'))
    .join('\n\n')
    .concat('\n');
}

/** From its anchor to the next one, or to a heading. */
function ruleOf(id: string): string {
  const [, text = ''] =
    specification.map((page) => page.text.split(`**[${id}]** `)).find(({ length }) => length > 1) ?? [];
  return text.split(/\n<a id=|\n#/)[0]?.trim() ?? '';
}

/** The titles in a file that name the rule, with those below them. */
function testsOf(id: string, { path, text }: { path: string; text: string }): string[] {
  if (!text.includes(`[${id}]`)) return [];
  const titles: string[] = [];
  let depth = Number.POSITIVE_INFINITY;
  for (const [, indent = '', , title = ''] of text.matchAll(TITLE)) {
    if (indent.length <= depth) depth = title.includes(`[${id}]`) ? indent.length : Number.POSITIVE_INFINITY;
    if (indent.length >= depth) titles.push(`    ${indent}- ${title}`);
  }
  return [`  ${path}`, ...(titles.length > 0 ? titles : ['    - (not in a title)'])];
}

/** A file that was deleted but not yet committed is still listed. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
