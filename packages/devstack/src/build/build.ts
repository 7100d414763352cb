import { waitForLock } from '../processes/lock-file.ts';
import { CHECKOUT_MARKER, inStack } from '../stack/folders.ts';
import type { Hint } from '../terminal/steps.ts';
import { generateBrowserRoutes } from './browser-routes.ts';
import { compile } from './compile.ts';
import { bundleDashboard } from './dashboard.ts';
import { generatePrismaClients } from './prisma-clients.ts';
import { bundleWeb } from './web-bundles.ts';

/** Updates the generated Prisma clients, the table of routes and the scripts for browsers. Concurrent commands do it one after the other. */
export async function generateAll(hint: Hint): Promise<void> {
  await locked(async () => hint(await generate(hint)));
}

/** Generates and compiles everything that is out of date. */
export async function buildAll(hint: Hint): Promise<void> {
  await locked(async () => {
    const generated = await generate(hint);
    hint('compiling');
    const [, isNew] = await Promise.all([compile(), bundleDashboard()]);
    hint(isNew ? `${generated}, dashboard built` : generated);
  });
}

/** Returns a line for the terminal. */
async function generate(hint: Hint): Promise<string> {
  hint('generating');
  const [generated] = await Promise.all([generatePrismaClients(), generateBrowserRoutes(), bundleWeb()]);
  return generated.length > 0 ? `generated: ${generated.join(', ')}` : 'up to date';
}

async function locked(work: () => Promise<void>): Promise<void> {
  const lock = await waitForLock(inStack('build.lock'), CHECKOUT_MARKER);
  try {
    await work();
  } finally {
    lock.release();
  }
}
