import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from '../processes/read-if-exists.ts';
import { runProgram } from '../processes/run-program.ts';
import { ROOT } from '../stack/folders.ts';
import { Problem } from '../terminal/problem.ts';

const FOLDER = join(ROOT, 'packages/dashboard');
/** Fingerprint of the sources of `dist`. */
const STAMP = join(FOLDER, 'dist/.sources');
/** The sources of the bundle. Types of the contract are not part of it. */
const SOURCES = ['dashboard/src', 'dashboard/public', 'dashboard/build', 'client/src', 'web/src'];
const FILES = ['packages/dashboard/index.html', 'packages/dashboard/vite.config.ts', 'pnpm-lock.yaml'];
const BUILD_TIMEOUT_MS = 300_000;

/** Builds the dashboard for the gateway, if its sources or dependencies have changed; returns whether it did. */
export async function bundleDashboard(): Promise<boolean> {
  const wanted = await fingerprint();
  if ((await readIfExists(STAMP)) === wanted) return false;
  const vite = join(FOLDER, 'node_modules/vite/bin/vite.js');
  const result = await runProgram(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: FOLDER,
    env: { ...process.env, NODE_ENV: 'production' },
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (!result.ok) throw new Problem(`${result.stdout}\n${result.stderr}\nThe dashboard could not be built.`);
  await writeFile(STAMP, wanted);
  return true;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const inFolders = await Promise.all(SOURCES.map((folder) => filesOf(join('packages', folder))));
  for (const path of [...FILES, ...inFolders.flat()])
    hash.update(path).update(await readFile(join(ROOT, path)));
  return hash.digest('hex');
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.includes('.test.'));
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1)).sort();
}
