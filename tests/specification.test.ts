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
      files
        .filter(({ path }) => /\.(test|suite)\.ts$/.test(path))
        .flatMap(({ text }) => [...text.matchAll(REFERENCE)].map(([, id]) => id)),
    );
    expect(anchors.filter((id) => !tested.has(id))).toEqual([]);
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

/** A file that was deleted but not yet committed is still listed. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
