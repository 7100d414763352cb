import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { runAttached } from '../processes/run-attached.ts';
import { inStack, ROOT } from '../stack/folders.ts';
import { readJsonFile } from '../stack/json-file.ts';
import { type JestResults, jestResults } from './summary.ts';

const require = createRequire(import.meta.url);
/**
 * Twice the cores of a small machine, since each file waits half of the time; which run side by side: lanes.ts. With six, a run is
 * shorter on a fast machine, but on a slow one a dozen files exceed the times that they measure.
 */
const MAX_WORKERS = 4;
/** Postgres connections that a test file with a whole platform uses, or one with three services side by side, with some to spare. */
const CONNECTIONS_PER_WORKER = 45;
/** How long jest may run after its last test. A handle that is still open then is a leak in a test. */
const EXIT_WITHIN_MS = 20_000;

export type JestRun = { code: number; results: JestResults | undefined; leaked: boolean };

/** Runs jest with our terminal, and reads its results from the file that it writes. */
export async function runJest(
  args: string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  maxWorkers = MAX_WORKERS,
): Promise<JestRun> {
  const connections = await connectionLimit(env.DATABASE_URL ?? '');
  const workers = Math.max(1, Math.min(maxWorkers, Math.floor(connections / CONNECTIONS_PER_WORKER)));
  const file = inStack(`test-results-${process.pid}.json`);
  const flags = [
    ...['--import', 'tsx', '--conditions=source', '--disable-warning=ExperimentalWarning'],
    // With more room for young objects the tests take a tenth less processor time.
    '--max-semi-space-size=32',
  ];
  const jest = join(require.resolve('jest/package.json'), '../bin/jest.js');
  const own = [`--maxWorkers=${workers}`, '--json', `--outputFile=${file}`];
  // Changes committed since main, and uncommitted ones.
  const given = args.map((arg) => (arg === '--changed' ? '--changedSince=main' : arg));

  const end = new AbortController();
  const leak = new AbortController();
  void killAfterLastTest(file, end.signal).then(
    () => leak.abort(),
    () => undefined,
  );
  const code = await runAttached(
    [...flags, jest, ...own, ...given],
    env,
    ROOT,
    AbortSignal.any([signal, leak.signal]),
  );
  end.abort();
  const results = readJsonFile(file, jestResults);
  rmSync(file, { force: true });
  return { code, results, leaked: leak.signal.aborted };
}

async function connectionLimit(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ max_connections: string }>('SHOW max_connections');
    return Number(rows[0]?.max_connections);
  } finally {
    await client.end();
  }
}

async function killAfterLastTest(file: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(file)) await sleep(500, undefined, { signal });
  await sleep(EXIT_WITHIN_MS, undefined, { signal });
}
