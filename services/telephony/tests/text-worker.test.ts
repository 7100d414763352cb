import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const WORKER = 'services/telephony/src/worker.ts';
/** Audio, recognition and providers: loaded by `import()`, when a carrier or a call needs them (ADR 53). */
const LATER = /^packages\/(media|speech)\/src\/index\.ts$/;
const LIBRARIES = [
  'libopus-wasm',
  '@echogarden/fvad-wasm',
  'werift',
  'rtp.js',
  'ws',
  'sip.js',
  '@aws-sdk/client-s3',
];
const STATIC =
  /^(?:import\s+(?!type\b)(?:([\w*{][^;']*?)\sfrom\s+)?|export\s+(\*[^;']*|\{[^}]*\})\s*from\s+)'([^']+)'/gm;

describe('a worker whose carriers are all text', () => {
  it('loads neither media nor speech at its start, and no library of theirs', () => {
    const { files, libraries } = importedBy(WORKER);
    expect(files).toContain('services/telephony/src/worker-audio.ts');
    expect(libraries).toContain('pino');
    expect(files.filter((file) => LATER.test(file))).toEqual([]);
    expect(libraries.filter((name) => LIBRARIES.includes(name))).toEqual([]);
  });

  it('is compared with what a worker with audio loads', () => {
    const { files, libraries } = importedBy('services/telephony/src/carriers/sip/sip-carrier.ts');
    expect(files.filter((file) => LATER.test(file))).toContain('packages/media/src/index.ts');
    expect(libraries).toContain('sip.js');
  });
});

/** Files of the checkout, and packages from elsewhere, that are loaded with a module. */
function importedBy(entry: string): { files: string[]; libraries: string[] } {
  const files = new Set<string>();
  const libraries = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const name of staticImports(readFileSync(join(ROOT, file), 'utf8'))) {
      const found = resolved(file, name);
      if (found) visit(found);
      else libraries.add(packageOf(name));
    }
  };
  visit(entry);
  return { files: [...files], libraries: [...libraries] };
}

/** Without those of types alone, which the compiler removes. */
function staticImports(source: string): string[] {
  return [...source.matchAll(STATIC)].flatMap(([, imported, exported, name]) => {
    const named = /^\{([^}]*)\}$/.exec((imported ?? exported ?? '').trim())?.[1];
    const parts = (named ?? '').split(',').filter((part) => part.trim() !== '');
    const isTypes = parts.length > 0 && parts.every((part) => part.trim().startsWith('type '));
    return name && !isTypes ? [name] : [];
  });
}

/** Undefined: the package is not of this checkout. */
function resolved(from: string, name: string): string | undefined {
  if (name.startsWith('.')) return relative(ROOT, join(ROOT, dirname(from), name));
  const own = /^@parley\/([\w-]+)(\/.+)?$/.exec(name);
  const folder = `packages/${own?.[1]}`;
  if (!own || !existsSync(join(ROOT, folder))) return undefined;
  const { exports } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const [path, all] = [`.${own[2] ?? ''}`, exports['./*']];
  return join(folder, exports[path]?.source ?? all.source.replace('*', path.slice(2)));
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}
