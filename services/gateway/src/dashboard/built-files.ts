import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof ENCODINGS;

/** One build of the dashboard. */
export type Build = {
  folder: string;
  /** `index.html`. */
  page: string;
  /** The additional encodings of each file, by path relative to the folder. */
  files: ReadonlyMap<string, readonly Encoding[]>;
  /** Differs for each build. */
  version: string;
};

const require = createRequire(import.meta.url);

/** The folder of the built dashboard, which may not exist; undefined if the package is not installed. */
export function builtFolder(configured: string | undefined): string | undefined {
  if (configured !== undefined) return configured;
  try {
    return join(dirname(require.resolve('@parley/dashboard/package.json')), 'dist');
  } catch {
    return undefined;
  }
}

/** Returns a function for the current build in the folder; undefined if there is none. Files are listed once per build. */
export function watchBuild(folder: string | undefined): () => Promise<Build | undefined> {
  let builtAtMs: number | undefined;
  let build: Promise<Build> | undefined;
  return async () => {
    if (folder === undefined) return undefined;
    const index = await stat(join(folder, 'index.html')).catch(() => undefined);
    if (!index) return undefined;
    if (!build || index.mtimeMs !== builtAtMs) {
      builtAtMs = index.mtimeMs;
      build = readBuild(folder, index.mtimeMs);
      build.catch(() => {
        build = undefined;
      });
    }
    return build;
  };
}

async function readBuild(folder: string, builtAtMs: number): Promise<Build> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  );
  const encodings = Object.keys(ENCODINGS) as Encoding[];
  const files = [...names]
    .filter((name) => !encodings.some((encoding) => name.endsWith(ENCODINGS[encoding])))
    .map((name) => [name, encodings.filter((encoding) => names.has(name + ENCODINGS[encoding]))] as const);
  return { folder, page, files: new Map(files), version: Math.round(builtAtMs).toString(36) };
}
