import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amqpUrl, databaseUrl, redisUrl, removePrefix } from '@parley/testkit';
import { Client } from 'pg';
import { createPidFiles } from '../../scripts/processes/pid-files.ts';
import { anyFreePort } from '../../scripts/processes/ports.ts';
import { runProgram } from '../../scripts/processes/run-program.ts';
import { type Environment, serviceEnvironments } from '../../scripts/stack/environment.ts';
import { serviceFolder } from '../../scripts/stack/folders.ts';
import { migrateAll } from '../../scripts/stack/migrate-all.ts';
import { forEachService, SERVICES, type ServiceName } from '../../scripts/stack/services.ts';
import { openStack } from '../../scripts/stack/stack-file.ts';
import { type SupervisedService, superviseService } from '../../scripts/stack/supervised-service.ts';
import { type Api, createApi } from './api.ts';

export type Workspace = {
  workspace_id: string;
  private_key: string;
  public_key: string;
  webhook_secret: string;
};

export type Platform = {
  url: string;
  workspace: Workspace;
  api: Api;
  /** The operator's command; gives what it printed. */
  parley(...args: string[]): Promise<unknown>;
  /** `kill -9`; the service is started again by itself, as `npm start` does. */
  kill(service: ServiceName): Promise<void>;
  /** Where each service answers the others, and with which environment it runs. */
  inside: Record<ServiceName, { url: string; env: Environment }>;
  /** The memory that a service has in use. */
  residentBytes(service: ServiceName): Promise<number>;
  /** What all services have written to their logs. */
  logs(): Promise<string>;
  /** What the service's `/metrics` says. */
  metrics(service: ServiceName): Promise<string>;
  /** What the service has logged so far. */
  logged(service: ServiceName): Promise<LogLine[]>;
  /** Rows of a service's database. */
  query<Row>(service: ServiceName, sql: string, ...values: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
};

export type LogLine = Record<string, unknown>;

type Options = {
  clockRate?: number;
  /** A broker of the test's own, where it is to be killed. */
  brokerUrl?: string;
  /** Variables of every service besides those of a development stack. */
  env?: Environment;
};

/** Of each service: several test files run side by side, on one server. */
const DATABASE_POOL = '4';
const PAGE_BYTES = 4_096;

/** All five services, compiled, as processes of their own, on databases and a broker prefix of their own. */
export async function bootPlatform({
  clockRate = 1,
  brokerUrl = amqpUrl(),
  env = {},
}: Options = {}): Promise<Platform> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-platform-'));
  const stack = openStack(join(folder, 'stack.json'), {});
  const ports = { ...(await freePorts()), internal: await anyFreePort() };
  const environments = serviceEnvironments({
    stack,
    urls: { postgres: databaseUrl(), redis: redisUrl(), rabbitmq: brokerUrl },
    ports,
    given: { CLOCK_RATE: String(clockRate), NODE_ENV: 'test' },
    originMs: Date.now(),
  });
  await migrateAll(databaseUrl(), stack.name, () => {});
  const pids = join(folder, 'pids');
  const services = superviseAll(
    forEachService((name) => ({ DATABASE_POOL, ...environments[name], ...env })),
    folder,
    pids,
  );
  await Promise.all(Object.values(services).map(({ ready }) => ready));

  const parley = async (...args: string[]) => {
    const cli = join(serviceFolder('gateway'), 'dist/cli.js');
    const env = { ...process.env, ...environments.gateway };
    const { ok, stdout, stderr } = await runProgram(process.execPath, [cli, ...args], { env });
    if (!ok) throw new Error(`parley ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const pidOf = async (service: ServiceName): Promise<number> =>
    JSON.parse(await readFile(join(pids, `${service}.json`), 'utf8')).pid;
  const workspace: Workspace = await parley('workspace', 'create', '--name', 'Test');
  const url = `http://127.0.0.1:${ports.gateway}`;

  return {
    url,
    workspace,
    api: createApi(url, workspace.private_key),
    parley,
    kill: async (service) => void process.kill(await pidOf(service), 'SIGKILL'),
    residentBytes: async (service) => {
      const [, pages] = (await readFile(`/proc/${await pidOf(service)}/statm`, 'utf8')).split(' ');
      return Number(pages) * PAGE_BYTES;
    },
    inside: forEachService((name) => ({
      url: `http://127.0.0.1:${name === 'gateway' ? ports.internal : ports[name]}`,
      env: { ...environments[name], ...env },
    })),
    logs: async () => {
      const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
      return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
    },
    metrics: async (service) => {
      const { INTERNAL_PORT, PORT } = environments[service];
      return (await fetch(`http://127.0.0.1:${INTERNAL_PORT ?? PORT}/metrics`)).text();
    },
    logged: async (service) => {
      const lines = (await readFile(join(folder, `${service}.log`), 'utf8')).split('\n');
      return lines.filter((line) => line.startsWith('{')).map((line): LogLine => JSON.parse(line));
    },
    query: (service, sql, ...values) => query(environments[service].DATABASE_URL ?? '', sql, values),
    stop: async () => {
      await Promise.all(Object.values(services).map((service) => service.stop()));
      await dropDatabases(stack.name);
      await removePrefix(stack.name, brokerUrl);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePorts(): Promise<Record<ServiceName, number>> {
  const ports = forEachService(() => 0);
  for (const name of SERVICES) ports[name] = await anyFreePort();
  return ports;
}

function superviseAll(
  environments: Record<ServiceName, Environment>,
  folder: string,
  pids: string,
): Record<ServiceName, SupervisedService> {
  const pidFiles = createPidFiles(pids);
  return forEachService((name) =>
    superviseService({
      name,
      main: join(serviceFolder(name), 'dist/main.js'),
      env: { ...process.env, ...environments[name] },
      port: Number(environments[name].INTERNAL_PORT ?? environments[name].PORT),
      logFile: join(folder, `${name}.log`),
      pidFiles,
      say: () => {},
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

async function dropDatabases(stack: string): Promise<void> {
  for (const name of SERVICES) {
    await query(databaseUrl(), `DROP DATABASE IF EXISTS "${stack}_${name}" WITH (FORCE)`, []);
  }
}
