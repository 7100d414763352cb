import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { browserRoutesModule } from '@parley/client/browser-routes';
import { readIfExists } from '../processes/read-if-exists.ts';
import { ROOT } from '../stack/folders.ts';

const FILE = join(ROOT, 'packages/client/src/generated/browser-routes.ts');

/** Writes the table of routes that the browser's client carries instead of the contract, if the contract has changed. */
export async function generateBrowserRoutes(): Promise<void> {
  const wanted = browserRoutesModule();
  if ((await readIfExists(FILE)) === wanted) return;
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, wanted);
}
