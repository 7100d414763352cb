import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anyFreePort } from '../processes/ports.ts';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import { isComplete, markComplete } from './completion.ts';
import { serverProgram } from './installed-program.ts';
import { launch, type PrivateSetting } from './private-server.ts';
import { give, reachableFolder } from './reachable-folder.ts';
import type { RunningServer } from './server-kinds.ts';
import { type User, unprivilegedUser } from './unprivileged-user.ts';

const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=256MB'];

/** A Postgres of our own on a free port. Its superuser is `parley`, with a password. */
export async function startPrivatePostgres(setting: PrivateSetting): Promise<RunningServer> {
  const { password, keepData } = setting;
  const program = serverProgram('postgres') ?? 'postgres';
  const user = await unprivilegedUser();
  const folder = await reachableFolder(setting, user);
  const remove = () => !keepData && rmSync(folder, { recursive: true, force: true });
  const data = join(folder, 'data');
  await initialize(program, data, { password, keepData }, user);

  const port = setting.port ?? (await anyFreePort());
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(keepData ? [] : NOT_DURABLE),
  ];
  const url = `postgres://parley:${password}@127.0.0.1:${port}/postgres`;
  const stop = await launch(
    {
      kind: 'postgres',
      command: [program, '-D', data, ...settings.flatMap((value) => ['-c', value])],
      ...user,
      logFile: join(folder, 'postgres.log'),
      stopSignal: 'SIGINT', // "fast": does not wait for clients to disconnect
      marker: data,
    },
    url,
    setting,
  ).catch((error: unknown) => {
    remove();
    throw error;
  });
  const about = `private, 127.0.0.1:${port}`;
  return { kind: 'postgres', url, about, stop: () => stop().then(() => void remove()) };
}

async function initialize(
  program: string,
  data: string,
  { password, keepData }: Pick<PrivateSetting, 'password' | 'keepData'>,
  user: User,
): Promise<void> {
  if (isComplete(dirname(data), data)) {
    const made = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
    const { stdout } = await runProgram(program, ['--version']);
    if (new RegExp(` ${made}\\D`).test(stdout)) return;
    throw new Problem(
      `The data in ${data} is from Postgres ${made}, but ${stdout.trim()} is installed. ` +
        `Install Postgres ${made}, or remove the folder (its data is lost) and start again.`,
    );
  }
  const passwordFile = join(dirname(data), 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  give(passwordFile, user);
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  const options = [
    '--username=parley',
    // SCRAM takes three milliseconds of processor time per connection, and the tests open thousands.
    `--auth=${keepData ? 'scram-sha-256' : 'md5'}`,
    '--encoding=UTF8',
    `--locale=${locale}`,
    '--no-sync',
  ];
  const result = await runProgram(
    join(dirname(program), 'initdb'),
    ['-D', data, `--pwfile=${passwordFile}`, ...options],
    { cwd: dirname(data), ...user },
  );
  rmSync(passwordFile);
  if (!result.ok)
    throw new Problem(`${result.stderr.trim()}\n\nA private Postgres could not be created in ${data}.`);
  markComplete(dirname(data));
}
