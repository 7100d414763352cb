import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { runAttached } from '../processes/run-attached.ts';
import { runProgram } from '../processes/run-program.ts';
import { composeEnvironment } from '../stack/compose-environment.ts';
import type { Environment } from '../stack/environment.ts';
import { entriesOf, inStack, ROOT, serviceFolder } from '../stack/folders.ts';
import { serviceNamed } from '../stack/left-out.ts';
import { readEnvironment } from '../stack/read-environment.ts';
import { answersOk } from '../stack/readiness.ts';
import { SERVICES, type ServiceName } from '../stack/services.ts';
import { Problem } from '../terminal/problem.ts';
import { runScript } from '../terminal/run-script.ts';

// `npm run service -- NAME`, or `pnpm --filter @parley/NAME dev`: runs one service from source, restarted on changes, with its
// environment in the stack. The other services run with `npm start -- --without NAME`, or in containers (docs/development.md).
runScript(async () => {
  const name = serviceNamed(process.argv[2]);
  const env = await environmentOf(name);
  if (await answersOk(`http://127.0.0.1:${env.INTERNAL_PORT ?? env.PORT}/healthz`)) {
    throw new Problem(
      `${name} is already running. Start the stack without it: npm start -- --without ${name}`,
    );
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const flags = ['--import', 'tsx', '--conditions=source', '--watch', '--watch-preserve-output'];
  const codes = await Promise.all(
    entriesOf(name).map((entry, index) => {
      const main = join(serviceFolder(name), 'src', `${entry}.ts`);
      const own = index === 0 ? env : { ...env, PORT: '0' };
      return runAttached([...flags, main], { ...process.env, ...own }, ROOT, stop.signal);
    }),
  );
  return Math.max(...codes);
});

/** The environment in the running stack: that of `npm start`, otherwise that of the containers. */
async function environmentOf(name: ServiceName): Promise<Environment> {
  const composed = composeEnvironment(join(ROOT, 'docker-compose.yml'), name, shellEnvironment());
  const started = existsSync(inStack('env.json')) ? readEnvironment().services[name] : undefined;
  if (started && (await isAnyPeerReady(name, started))) return started;
  if (await isAnyPeerReady(name, composed)) return { ...(await composeSecrets(name)), ...composed };
  if (started) return started;
  throw new Problem(
    `The rest of the platform does not respond. Start it without ${name}: npm start -- --without ${name}`,
  );
}

/** The secrets that `docker compose` created for the service, from their volume. */
async function composeSecrets(name: ServiceName): Promise<Environment> {
  const args = [
    'compose',
    'run',
    '--rm',
    '-T',
    'secrets',
    'node',
    'make-secrets.mjs',
    '/secrets',
    '--show',
    name,
  ];
  const { ok, stdout, stderr } = await runProgram('docker', args, { cwd: ROOT, timeoutMs: 60_000 });
  if (!ok) throw new Problem(`The secrets of the containers cannot be read: ${stderr.trim()}`);
  return parseEnv(stdout) as Environment;
}

/** `docker compose` reads `.env` beside its file; variables of the shell take precedence. */
function shellEnvironment(): NodeJS.ProcessEnv {
  const file = join(ROOT, '.env');
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...process.env };
}

/** Whether any of the services that it calls is ready. */
async function isAnyPeerReady(name: ServiceName, env: Environment): Promise<boolean> {
  const others = SERVICES.filter((other) => other !== name);
  const urls = others.map(
    (other) => env[other === 'gateway' ? 'GATEWAY_INTERNAL_URL' : `${other.toUpperCase()}_URL`],
  );
  const ready = await Promise.all(urls.flatMap((url) => (url ? [answersOk(`${url}/healthz`)] : [])));
  return ready.some(Boolean);
}
