import { waitForLock } from '../processes/lock-file.ts';
import { CHECKOUT_MARKER, inStack } from '../stack/folders.ts';
import type { Hint } from '../terminal/steps.ts';
import { compile } from './compile.ts';
import { generatePrismaClients } from './prisma-clients.ts';

/** Brings the generated Prisma clients up to date. Two commands at once do it one after the other. */
export async function generateAll(hint: Hint): Promise<void> {
  await locked(async () => hint(await generate(hint)));
}

/** Generates and compiles all that is not up to date. */
export async function buildAll(hint: Hint): Promise<void> {
  await locked(async () => {
    const generated = await generate(hint);
    hint('compiling');
    await compile();
    hint(generated);
  });
}

/** Gives what to say about it. */
async function generate(hint: Hint): Promise<string> {
  hint('generating');
  const generated = await generatePrismaClients();
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
