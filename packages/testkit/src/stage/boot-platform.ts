import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  anyFreePort,
  createPidFiles,
  type Environment,
  forEachService,
  PortTaken,
  processesOf,
  type ServiceName,
  type ServiceProcess,
  type SupervisedService,
  superviseService,
} from '@parley/devstack';
import { Client } from 'pg';
import { eventually } from '../eventually.ts';
import { type Api, createApi } from './api.ts';
import { createPlatformStack, type Workspace } from './platform-stack.ts';

export type Platform = {
  url: string;
  workspace: Workspace;
  api: Api;
  /** Creates another workspace. */
  createWorkspace(name: string): Promise<Workspace>;
  /** Runs the operator's command; returns its output. */
  parley(...args: string[]): Promise<unknown>;
  /** `kill -9` of every process of the service; they are restarted, as by `npm start`. */
  kill(service: ServiceName): Promise<void>;
  /** Suspends a service for a while (SIGSTOP, SIGCONT). */
  signal(service: ServiceName, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Internal URL and environment of each service. */
  inside: Record<ServiceName, { url: string; env: Environment }>;
  /** Memory usage of the processes of a service. */
  residentBytes(service: ServiceName): Promise<number>;
  /** The logs of all services. */
  logs(): Promise<string>;
  /** `/metrics` of all processes of a service. */
  metrics(service: ServiceName): Promise<string>;
  /** The log of a service so far. */
  logged(service: ServiceName): Promise<LogLine[]>;
  /** Rows of a service's database. */
  query<Row>(service: ServiceName, sql: string, ...values: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
};

type LogLine = Record<string, unknown>;

type Options = {
  clockRate?: number;
  /** A broker of the test's own, if the test kills it. */
  brokerUrl?: string;
  /** Variables of every service in addition to those of a development stack. */
  env?: Environment;
  /**
   * The rate limits and the cost of passwords that an installation has by default, for tests of the limits. Otherwise no test reaches a
   * limit, however fast it is.
   */
  defaultLimits?: boolean;
};

const NO_LIMITS: Environment = {
  RATE_LIMIT_BURST: '1000000',
  CALL_RATE_LIMIT_PER_SECOND: '1000000',
  CALL_RATE_LIMIT_BURST: '1000000',
  WEBHOOK_TESTS_PER_MINUTE: '1000000',
  TEST_TURNS_PER_MINUTE: '1000000',
  OPEN_REQUESTS_PER_MINUTE: '1000000',
  LINK_REQUESTS_PER_MINUTE: '1000000',
  SIGN_INS_PER_ADDRESS_AND_MINUTE: '1000000',
  FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE: '1000000',
  PUBLIC_KEY_CALLS_PER_MINUTE: '1000000',
  PUBLIC_KEY_CALLS_PER_MINUTE_PER_ADDRESS: '1000000',
};
const NO_LIMITS_OF_WORKSPACE = { 'requests-per-minute': 60_000_000 };

/** Connections per service: several test files run in parallel on one server. */
const DATABASE_POOL = '3';
/**
 * Recordings of simulated calls are tones then. Analyses wait for recordings, and speech takes a second of CPU time per call at the lowest
 * priority, which is next to nothing beside other test files. Give `PATH` in `env` where speech matters.
 */
const WITHOUT_FLITE = { PATH: '' };
/** Tests sign in hundreds of times, and the default cost takes a tenth of a second of CPU time each. */
const CHEAP_PASSWORDS = { PASSWORD_COST: '10' };
const BOOT_RETRIES = 3;
const PAGE_BYTES = 4_096;

/** Starts all services, compiled and bundled, as supervised processes with databases, queues and keys of their own. */
export async function bootPlatform(options: Options = {}): Promise<Platform> {
  for (let left = BOOT_RETRIES; ; left -= 1) {
    try {
      return await bootOnce(options);
    } catch (err) {
      // Test files choose ports at random, so two of them may choose the same.
      if (!(err instanceof PortTaken) || left === 0) throw err;
    }
  }
}

async function bootOnce({ clockRate, brokerUrl, env, defaultLimits }: Options): Promise<Platform> {
  const stack = await createPlatformStack({
    env: {
      DATABASE_POOL,
      ...WITHOUT_FLITE,
      ...(defaultLimits ? {} : { ...NO_LIMITS, ...CHEAP_PASSWORDS }),
      ...env,
    },
    ...(clockRate ? { clockRate } : {}),
    ...(brokerUrl ? { brokerUrl } : {}),
  });
  const { folder, environments, internalUrl } = stack;
  const pids = join(folder, 'pids');
  const processes = await processesOfAll(environments);
  const supervised = superviseAll(Object.values(processes).flat(), folder, pids);
  const stop = async (): Promise<void> => {
    await Promise.all(supervised.map((process) => process.stop()));
    await stack.remove();
  };
  const createWorkspace = (name: string) =>
    stack.createWorkspace(name, defaultLimits ? {} : NO_LIMITS_OF_WORKSPACE);
  const start = async (): Promise<Workspace> => {
    await Promise.all(supervised.map(({ ready }) => ready));
    // While the services start, a busy machine may not get a connection to the database in time.
    return eventually(() => createWorkspace('Test'));
  };
  const workspace = await start().catch(async (err: unknown) => {
    await stop();
    throw err;
  });

  const pidOf = async (name: string): Promise<number> =>
    JSON.parse(await readFile(join(pids, `${name}.json`), 'utf8')).pid;
  const ofEach = async <T>(service: ServiceName, read: (process: ServiceProcess) => Promise<T>) =>
    Promise.all(processes[service].map(read));
  const signalAll = async (service: ServiceName, signal: NodeJS.Signals): Promise<void> => {
    await ofEach(service, async ({ name }) => process.kill(await pidOf(name), signal));
  };

  return {
    url: stack.url,
    workspace,
    api: createApi(stack.url, workspace.private_key),
    createWorkspace,
    parley: stack.parley,
    kill: (service) => signalAll(service, 'SIGKILL'),
    signal: (service, signal) => signalAll(service, signal),
    residentBytes: async (service) => {
      const sizes = await ofEach(service, async ({ name }) => {
        const [, pages] = (await readFile(`/proc/${await pidOf(name)}/statm`, 'utf8')).split(' ');
        return Number(pages) * PAGE_BYTES;
      });
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    inside: forEachService((name) => ({ url: internalUrl(name), env: environments[name] })),
    logs: async () => {
      const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
      return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
    },
    metrics: async (service) => {
      const texts = await ofEach(service, async ({ env: { INTERNAL_PORT, PORT } }) =>
        (await fetch(`http://127.0.0.1:${INTERNAL_PORT ?? PORT}/metrics`)).text(),
      );
      return texts.join('');
    },
    logged: async (service) => {
      const files = await ofEach(service, ({ name }) => readFile(join(folder, `${name}.log`), 'utf8'));
      const lines = files.join('').split('\n');
      return lines.filter((line) => line.startsWith('{')).map((line): LogLine => JSON.parse(line));
    },
    query: (service, sql, ...values) => query(environments[service].DATABASE_URL ?? '', sql, values),
    stop,
  };
}

async function processesOfAll(
  environments: Record<ServiceName, Environment>,
): Promise<Record<ServiceName, ServiceProcess[]>> {
  const processes = forEachService((name) => processesOf(name, environments[name]));
  for (const process of Object.values(processes).flat())
    if (process.env.PORT === '0') process.env.PORT = String(await anyFreePort());
  return processes;
}

function superviseAll(
  processes: readonly ServiceProcess[],
  folder: string,
  pids: string,
): SupervisedService[] {
  const pidFiles = createPidFiles(pids);
  return processes.map(({ name, main, env }) =>
    superviseService({
      name,
      main,
      env: { ...process.env, ...env },
      port: Number(env.INTERNAL_PORT ?? env.PORT),
      logFile: join(folder, `${name}.log`),
      pidFiles,
      print: () => {},
    }),
  );
}

async function query<Row>(url: string, sql: string, values: unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}
