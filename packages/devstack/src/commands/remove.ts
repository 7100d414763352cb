import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { takeLock } from '../processes/lock-file.ts';
import { inStack, ROOT, STACK_FOLDER, START_MARKER } from '../stack/folders.ts';
import { readEnvironment } from '../stack/read-environment.ts';
import { removeFromServers } from '../stack/remove-from-servers.ts';
import { Problem } from '../terminal/problem.ts';
import { runScript } from '../terminal/run-script.ts';

// `npm run remove [-- --yes]`: removes all data of the stack of this folder, on the servers that it used and in `.stack`.
// The next `npm start` begins from scratch.
runScript(async () => {
  const { values } = parseArgs({ options: { yes: { type: 'boolean', default: false } } });
  if (!existsSync(STACK_FOLDER)) throw new Problem('There is no stack in this folder.');
  const lock = takeLock(inStack('start.lock'), join(ROOT, 'packages', START_MARKER));
  if (!lock.held) throw new Problem(`The stack runs (process ${lock.pid}). Stop it first, with Ctrl-C.`);
  try {
    const environment = existsSync(inStack('env.json')) ? readEnvironment() : undefined;
    const name = environment?.stack ?? 'that never ran';
    if (!values.yes && !(await agrees(name))) {
      lock.release();
      return 1;
    }
    if (environment) await removeFromServers(environment, (line) => process.stdout.write(`  ${line}\n`));
  } catch (error) {
    lock.release();
    throw error;
  }
  rmSync(STACK_FOLDER, { recursive: true, force: true });
  process.stdout.write(`  .stack is removed\n`);
  return 0;
});

async function agrees(name: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Problem('Confirmation needs a terminal. Without one: npm run remove -- --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(
    `Remove the stack ${name} with all its calls, keys and secrets? [y/N] `,
  );
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
