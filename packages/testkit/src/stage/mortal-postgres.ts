import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort, createPidFiles, serverProgram, startPrivatePostgres } from '@parley/devstack';
import { databaseUrl } from '../addresses.ts';
import { cuttable } from '../cuttable.ts';

export type MortalPostgres = {
  url: string;
  /** Ends it without a checkpoint, and restarts it, so that it recovers from its log. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

const DOWN_MS = 1_000;

/** A Postgres that a test can kill: one of its own, on disk. If none is installed, cuts all connections to the shared one instead. */
export function mortalPostgres(): Promise<MortalPostgres> {
  return serverProgram('postgres') ? ownPostgres() : wayToSharedPostgres();
}

async function ownPostgres(): Promise<MortalPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-postgres-'));
  await chmod(folder, 0o711); // Postgres does not run as root.
  const pids = join(folder, 'pids');
  const setting = {
    folder: join(folder, 'postgres'),
    name: `parley-bench-${process.pid}`,
    password: 'of-the-bench',
    keepData: true,
    port: await anyFreePort(),
    pidFiles: createPidFiles(pids),
    signal: new AbortController().signal,
  };
  let server = await startPrivatePostgres(setting);
  return {
    url: server.url,
    kill: async () => {
      const { pid } = JSON.parse(await readFile(join(pids, 'postgres.json'), 'utf8'));
      process.kill(pid, 'SIGQUIT'); // Ends all of its processes; SIGKILL would only end the first.
      await server.stop();
      await sleep(DOWN_MS);
      server = await startPrivatePostgres(setting);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function wayToSharedPostgres(): Promise<MortalPostgres> {
  const way = await cuttable(databaseUrl());
  return {
    url: way.url,
    kill: async () => {
      way.cut();
      await sleep(DOWN_MS);
      way.restore();
    },
    stop: way.close,
  };
}
