import { join } from 'node:path';
import { bundleServices } from './build/service-bundles.ts';
import { runAttached } from './processes/run-attached.ts';
import { withServers } from './servers/with-servers.ts';
import { ROOT } from './stack/folders.ts';
import { runScript } from './terminal/run-script.ts';

export type Program = {
  /** One line for the list. */
  about: string;
  /** Runs without Postgres, Redis and RabbitMQ. */
  standalone?: boolean;
  /** Path from the root of the checkout; `<folder>/<name>.ts` by default. */
  file?: string;
};

const UNKNOWN_NAME = 2;
const FLAGS = ['--import', 'tsx', '--conditions=source'];

/**
 * `npm run <command>` lists the programs of a folder, `npm run <command> -- NAME ARGS` runs one, with the servers that the
 * tests use. An unknown name lists the programs and exits with 2.
 */
export function runSuite(command: string, folder: string, programs: Readonly<Record<string, Program>>): void {
  runScript(async () => {
    const [name, ...args] = process.argv.slice(2);
    const list = Object.entries(programs).map(([known, { about }]) => `  ${known.padEnd(16)} ${about}`);
    const usage = `npm run ${command} -- NAME [ARGS], where NAME is one of\n${list.join('\n')}\n`;
    if (name === undefined) {
      process.stdout.write(usage);
      return 0;
    }
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (!program) {
      process.stderr.write(`Unknown name "${name}".\n${usage}`);
      return UNKNOWN_NAME;
    }
    const file = program.file ? join(ROOT, program.file) : join(folder, `${name}.ts`);
    if (program.standalone) return runAttached([...FLAGS, file, ...args], process.env, ROOT);
    return attachedWithServers(file, args);
  });
}

/** Runs one program with compiled services and the servers that the tests use. */
export function runWithServers(file: string): void {
  runScript(() => attachedWithServers(file, process.argv.slice(2)));
}

function attachedWithServers(file: string, args: string[]): Promise<number> {
  return withServers(async (env, signal) => {
    await bundleServices();
    return runAttached([...FLAGS, file, ...args], env, ROOT, signal);
  });
}
