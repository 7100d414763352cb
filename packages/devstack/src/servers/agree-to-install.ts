import { createInterface } from 'node:readline/promises';

export type Terminal = { isTTY?: boolean };

/**
 * Whether packages may be installed on this machine, as root: asks on a terminal, unless `PARLEY_INSTALL=yes`. Without a terminal
 * (CI, a container) the command itself is the consent, and the packages are printed.
 */
export async function agreeToInstall(
  packages: readonly string[],
  { env, input, ask = question }: { env: NodeJS.ProcessEnv; input: Terminal; ask?: typeof question },
): Promise<boolean> {
  if (!input.isTTY || /^(yes|1|true)$/i.test(env.PARLEY_INSTALL ?? '')) return true;
  const answer = await ask(`Install ${packages.join(', ')} on this machine with apt-get, as root? [Y/n] `);
  return /^(y(es)?)?$/i.test(answer.trim());
}

async function question(text: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C closes the prompt without an answer.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('no')));
  try {
    return await Promise.race([terminal.question(text), closed]);
  } finally {
    terminal.close();
  }
}
