import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseConfig } from '@parley/kit/config';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { amqpUrl, internalKeys, redisUrl, type TestDatabase, testDatabase } from '@parley/testkit';
import { configSchema } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import type { DownloadOptions } from '../src/forward/downloads.ts';
import { startServers } from '../src/server.ts';
import { createWorkspace } from '../src/workspaces/administer.ts';

export const INTERNAL_SECRET = 'internal-token-secret-of-the-tests';
const NOTHING_LISTENS = 'http://127.0.0.1:9';

/** A service behind the gateway: responds by `handle` and records the requests. */
export async function fakeOwner(handle: (req: IncomingMessage, res: ServerResponse, body: Buffer) => void) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }[] = [];
  let uploads = 0;
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.once('data', () => {
      uploads += 1;
    });
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      // The gateway's own jobs also call its upstreams; tests look at the requests that it forwards.
      if (!req.url?.startsWith('/internal/'))
        seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body });
      handle(req, res, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    uploads: () => uploads,
    close,
  };
}

export type Overrides = Record<string, string>;

/** What a test sets instead of the gateway's own. */
type Parts = Partial<Pick<Context, 'turns' | 'limiter' | 'failures'>> & { downloads?: DownloadOptions };

/** The real gateway on its own database, in front of the services of the test. */
export async function bootGateway(
  overrides: Overrides = {},
  log = createLogger({ service: 'gateway', level: 'silent' }),
  parts: Parts = {},
) {
  const database = await testDatabase('gateway');
  const replica = await bootReplica(database, overrides, log, parts);
  return {
    ...replica,
    database,
    workspace: await createWorkspace(replica.admin, { name: 'Test' }),
    stop: async () => {
      await replica.stop();
      await database.drop();
    },
  };
}

/** A gateway on an existing database; with the same `REDIS_PREFIX` it is a replica of another. */
export async function bootReplica(
  database: Pick<TestDatabase, 'url'>,
  overrides: Overrides = {},
  log = createLogger({ service: 'gateway', level: 'silent' }),
  { downloads, ...replaced }: Parts = {},
) {
  const lifecycle = createLifecycle(log, { deadlineMs: 10_000 });
  const config = parseConfig(configSchema, {
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: database.url,
    DATABASE_POOL: '4',
    REDIS_URL: redisUrl(),
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: 'test-without-consumers',
    REDIS_PREFIX: `test-${process.pid}-${Math.random().toString(36).slice(2)}`,
    NODE_ENV: 'test',
    ...internalKeys(INTERNAL_SECRET, 'gateway'),
    KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
    // The minimum, so that hashing is fast.
    PASSWORD_COST: '10',
    SIGN_INS_PER_ADDRESS_AND_MINUTE: '10000',
    FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE: '1000000',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    ASSISTANTS_URL: NOTHING_LISTENS,
    TELEPHONY_URL: NOTHING_LISTENS,
    CAMPAIGNS_URL: NOTHING_LISTENS,
    WEBHOOKS_URL: NOTHING_LISTENS,
    ...overrides,
  });
  const context = await createContext(config, { lifecycle, log });
  // On a busy machine the first connection may take longer than a transaction waits for one.
  await context.prisma.$queryRaw`SELECT 1`;
  const { publicPort, internalPort } = await startServers({ ...context, ...replaced }, downloads);
  return {
    url: `http://127.0.0.1:${publicPort}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    context,
    admin: {
      store: context.workspaces,
      clock: context.clock,
      keyDefaults: context.keyDefaults,
      assistants: context.assistants,
    },
    stop: () => lifecycle.stop('test is over'),
  };
}

export type Replica = Awaited<ReturnType<typeof bootReplica>>;
export type Gateway = Awaited<ReturnType<typeof bootGateway>>;
