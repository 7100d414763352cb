import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stop } from 'esbuild';
import { bundleOf, bundleStale } from './service-bundles.ts';

const MINUTE_MS = 60_000;

let root: string;
let entry: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-bundles-'));
  entry = join(root, 'services/calls/dist/main.js');
  write(join(root, 'pnpm-lock.yaml'), '', 90);
  mkdirSync(join(root, 'packages'));
  write(join(root, 'services/calls/dist/.tsbuildinfo'), '{}', 60);
  write(entry, "console.log('first');\n", 60);
});
afterEach(() => rmSync(root, { recursive: true }));
afterAll(() => stop());

/** A file that was last written so many minutes ago. */
function write(path: string, text: string, minutesAgo: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const time = new Date(Date.now() - minutesAgo * MINUTE_MS);
  utimesSync(path, time, time);
}

const bundle = () => ({ ...statSync(bundleOf(entry)), text: readFileSync(bundleOf(entry), 'utf8') });

describe('the bundle of a service', () => {
  it('is as old as what was compiled when its bundling began, so that what is compiled meanwhile is newer', async () => {
    await bundleStale(root, [entry]);
    expect(bundle().text).toContain('first');
    expect(bundle().mtimeMs - statSync(entry).mtimeMs).toBeLessThan(MINUTE_MS);
    // Compiled after it was read, and before the bundle was there.
    write(entry, "console.log('second');\n", 1);
    await bundleStale(root, [entry]);
    expect(bundle().text).toContain('second');
  });

  it('is made once for the same files, and again for other dependencies', async () => {
    await bundleStale(root, [entry]);
    const { ino, mtimeMs } = bundle();
    await bundleStale(root, [entry]);
    expect(bundle()).toMatchObject({ ino, mtimeMs });
    write(join(root, 'pnpm-lock.yaml'), 'changed', 1);
    await bundleStale(root, [entry]);
    expect(bundle().mtimeMs).toBeGreaterThan(mtimeMs);
  });

  it('is complete and has its age at every moment, so that a killed process leaves none that looks finished', async () => {
    const end = 'THE END';
    write(entry, `globalThis.first = '${'x'.repeat(5_000_000)}';\nconsole.log('${end}');\n`, 60);
    let isDone = false;
    const bundling = bundleStale(root, [entry]).finally(() => {
      isDone = true;
    });
    const seen = new Set<string>();
    while (!isDone) {
      const found = statSync(bundleOf(entry), { throwIfNoEntry: false });
      if (found)
        seen.add(`${found.size} bytes, ${Math.round((Date.now() - found.mtimeMs) / MINUTE_MS)} minutes old`);
      await nextTurn();
    }
    await bundling;
    expect(bundle().text).toContain(end);
    seen.add(`${bundle().size} bytes, 60 minutes old`);
    expect([...seen]).toHaveLength(1);
  });
});
