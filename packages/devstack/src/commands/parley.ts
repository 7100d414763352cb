import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { runAttached } from '../processes/run-attached.ts';
import { runProgram } from '../processes/run-program.ts';
import type { Environment } from '../stack/environment.ts';
import { inStack, serviceFolder } from '../stack/folders.ts';
import { keepRotatedSecret } from '../stack/keep-rotated-secret.ts';
import { readEnvironment } from '../stack/read-environment.ts';
import { Problem } from '../terminal/problem.ts';
import { runScript } from '../terminal/run-script.ts';

// `npm run --silent parley -- …`: the operator's command, against the stack of this folder. Only the command itself writes to
// standard output [access.7].
runScript(async () => {
  const args = process.argv.slice(2);
  const cli = join(serviceFolder('gateway'), 'dist/cli.js');
  if (asksForHelp(args)) return runAttached(helpCommand(cli, args), process.env, process.cwd());
  const env = readEnvironment().services.gateway;
  if (!existsSync(cli)) throw new Problem('Parley is not built. Build it with: npm run build');
  if (!(await isListening(env.DATABASE_URL ?? ''))) {
    throw new Problem(
      'The database of the stack does not respond. Start the stack first, in another terminal: npm start',
    );
  }
  if (args[0] === 'webhook-secret' && args[1] === 'rotate') return rotateSecret([cli, ...args], env);
  // The caller's folder, for relative paths among the arguments.
  return runAttached([cli, ...args], { ...process.env, ...env }, process.env.INIT_CWD ?? process.cwd());
});

function asksForHelp(args: readonly string[]): boolean {
  return args.length === 0 || args[0] === 'help' || args.includes('--help') || args.includes('-h');
}

/** Help works before the first build and the first `npm start`, from the sources. */
function helpCommand(cli: string, args: readonly string[]): string[] {
  if (existsSync(cli)) return [cli, ...args];
  const source = join(serviceFolder('gateway'), 'src/cli.ts');
  return ['--import', import.meta.resolve('tsx'), '--conditions=source', source, ...args];
}

/** Receivers of the workspace `demo` need the new secret. */
async function rotateSecret(args: string[], env: Environment): Promise<number> {
  const { ok, code, stdout, stderr } = await runProgram(process.execPath, args, {
    env: { ...process.env, ...env },
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  if (ok) keepRotatedSecret(inStack('demo.json'), stdout);
  return ok ? 0 : (code ?? 1);
}

function isListening(databaseUrl: string): Promise<boolean> {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const folder = searchParams.get('host');
  const number = Number(port || 5432);
  const target = folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${number}` }
    : { host: hostname, port: number };
  return new Promise((resolve) => {
    const socket = connect({ ...target, timeout: 3_000 });
    const answer = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}
