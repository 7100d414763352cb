import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@parley/kit/config';
import { type Actor, INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger, type Log } from '@parley/kit/log';
import {
  amqpPrefix,
  amqpUrl,
  busOf,
  internalKeys,
  internalToken,
  internalTokensOfPeers,
  QUEUES_PROVIDED,
  type SqlClient,
  sqlClient,
  type TestBus,
  testDatabase,
} from '@parley/testkit';
import { type FakePeersOfTelephony, fakePeersOfTelephony } from '@parley/testkit/fakes';
import { configSchema } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { startServer } from '../src/http-server.ts';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { startApi } from '../src/start-api.ts';
import { startConsumers } from '../src/start-consumers.ts';
import { startWorker } from '../src/start-worker.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes, wrong ones included
export type Json = any;

export type HttpAnswer = { status: number; headers: Headers; text: string; body: Json };

export type AskOptions = {
  body?: unknown;
  headers?: Record<string, string>;
  actor?: Actor;
  /** URL of a process other than the first. */
  url?: string;
  /** False: as if the request did not come through the gateway. */
  token?: boolean;
};

export type Harness = {
  url: string;
  context: Context;
  peers: FakePeersOfTelephony;
  bus: TestBus;
  sql: SqlClient;
  databaseUrl: string;
  /** The environment of the service, for a further process. */
  env: Record<string, string>;
  /** Sends a request on behalf of a key of the workspace, or of `actor`. */
  ask(workspaceId: string, method: string, path: string, options?: AskOptions): Promise<HttpAnswer>;
  /** Sends a request as another service. */
  callAsService(workspaceId: string, method: string, path: string, body?: unknown): Promise<HttpAnswer>;
  /** Boots another process on the same database, broker and peers. */
  boot(env?: Record<string, string>): Promise<{ context: Context; url: string; stop(): Promise<void> }>;
  /** Runs first when the harness closes. */
  onClose(act: () => Promise<void>): void;
  close(): Promise<void>;
};

export const SECRET = randomBytes(32).toString('hex');
const STOP_DEADLINE_MS = 10_000;

/** The real service on its own database and broker prefix; the other services are fakes. */
export async function startHarness(
  env: Record<string, string> = {},
  log: Log = createLogger({ service: 'test', level: 'silent' }),
): Promise<Harness> {
  const outside = createLifecycle(log, { deadlineMs: STOP_DEADLINE_MS });
  const database = await testDatabase('telephony');
  const { prefix, remove } = amqpPrefix();
  const peers = await fakePeersOfTelephony({
    internalTokens: internalTokensOfPeers(SECRET, ['gateway', 'assistants', 'campaigns']),
    log,
    lifecycle: outside,
  });
  const bus = await busOf('telephony', prefix);
  const sql = sqlClient(database.url);
  const recordings = await mkdtemp(join(tmpdir(), 'parley-recordings-'));
  const shared = {
    PORT: '0',
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATABASE_POOL: '4',
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ...QUEUES_PROVIDED,
    ...internalKeys(SECRET, 'telephony'),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PUBLIC_URL: 'https://parley.example',
    RECORDING_URL_SECRET: SECRET,
    RECORDINGS_DIR: recordings,
    RECORDING_SPEECH: 'tones',
    ASSISTANTS_URL: withoutSlash(peers.assistants.url),
    GATEWAY_INTERNAL_URL: withoutSlash(peers.gateway.url),
    CAMPAIGNS_URL: withoutSlash(peers.campaigns.url),
    /** Process types of the service that are booted in this process: `api`, `worker` or `both`. */
    PROCESSES: 'api',
    ...(env.CLOCK_RATE ? { CLOCK_ORIGIN_MS: String(Date.now()) } : {}),
    ...env,
  };

  const onClose: (() => Promise<void>)[] = [];
  const lifecycles: Lifecycle[] = [];
  const boot: Harness['boot'] = async (own = {}) => {
    const lifecycle = createLifecycle(log, { deadlineMs: STOP_DEADLINE_MS });
    lifecycles.push(lifecycle);
    const env = { ...shared, ...own };
    const context = await createContext(parseConfig(configSchema, env), { lifecycle, log });
    if (env.PROCESSES !== 'api') startConsumers(context);
    const calls = createLifecycle(log, { deadlineMs: STOP_DEADLINE_MS });
    lifecycle.onStop('call worker', (stop) => calls.stop('test', stop));
    const { port } = await (env.PROCESSES === 'worker' ? startServer(context) : startApi(context));
    if (env.PROCESSES !== 'api') await startWorker(context, calls);
    return { context, url: `http://127.0.0.1:${port}`, stop: () => lifecycle.stop('test') };
  };
  const { context, url } = await boot();

  const ask: Harness['ask'] = async (
    workspaceId,
    method,
    path,
    { body, headers, actor, url: at = url, token = true } = {},
  ) => {
    const claims = actor ? { workspaceId, actor } : { workspaceId };
    const response = await fetch(`${at}${path}`, {
      method,
      headers: {
        ...(token ? { [INTERNAL_TOKEN_HEADER]: internalToken(SECRET, 'telephony', claims) } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };

  return {
    url,
    context,
    peers,
    bus,
    sql,
    databaseUrl: database.url,
    env: shared,
    ask,
    callAsService: (workspaceId, method, path, body) =>
      ask(workspaceId, method, path, { body, actor: { kind: 'service', id: 'campaigns' } }),
    boot,
    onClose: (act) => void onClose.push(act),
    close: async () => {
      for (const act of onClose) await act();
      for (const lifecycle of lifecycles) await lifecycle.stop('test');
      await outside.stop('test');
      await peers.close();
      await sql.close();
      await bus.close();
      await remove();
      await database.drop();
      await rm(recordings, { recursive: true, force: true });
    },
  };
}

/** A worker apart from the API, as in production. */
export async function startSpokenWorker(harness: Harness, findSpeech: FindSpeech): Promise<Lifecycle> {
  const { context } = await harness.boot({ PROCESSES: 'api' });
  const lifecycle = createLifecycle(context.log, { deadlineMs: 10_000 });
  await startWorker(context, lifecycle, { findSpeech });
  return lifecycle;
}

let numbersGiven = 0;

/** A number that this file has not used; the last four digits choose what the simulated carrier does [running.2]. */
export function anyNumber(ending = '4242'): string {
  numbersGiven += 1;
  return `+1${200_000 + numbersGiven}${ending}`;
}

export const newWorkspace = (): string => randomUUID();

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
