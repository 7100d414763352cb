import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
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
  sqlClient,
  testDatabase,
} from '@parley/testkit';
import { configSchema } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { startJobs } from '../src/jobs.ts';
import { startConsumers } from '../src/numbers/consumers.ts';
import { startServer } from '../src/server.ts';
import { fakeCampaigns } from './fake-campaigns.ts';
import { fakeTelephony } from './fake-telephony.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes, wrong ones included
export type Json = any;

export type HttpAnswer = { status: number; headers: Headers; text: string; body: Json };

export type AskOptions = {
  body?: unknown;
  headers?: Record<string, string>;
  actor?: Actor;
  /** A process other than the first. */
  at?: Booted;
};

/** A process of the service. */
export type Booted = { url: string; context: Context };

const SECRET = randomBytes(32).toString('hex');

/** The real service on its own database and broker prefix; campaigns and telephony are fakes. */
export async function startHarness(
  env: Record<string, string> = {},
  log: Log = createLogger({ service: 'assistants', level: 'silent' }),
) {
  const database = await testDatabase('assistants');
  const { prefix, remove } = amqpPrefix();
  const bus = await busOf('assistants', prefix);
  const sql = sqlClient(database.url);
  const outside = createLifecycle(log, { deadlineMs: 10_000 });
  const parts = {
    internalTokens: internalTokensOfPeers(SECRET, ['campaigns', 'telephony']),
    log,
    lifecycle: outside,
  };
  const campaigns = await fakeCampaigns(parts);
  const telephony = await fakeTelephony(parts);
  const shared = {
    PORT: '0',
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATABASE_POOL: '4',
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ...QUEUES_PROVIDED,
    ...internalKeys(SECRET, 'assistants'),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    CAMPAIGNS_URL: campaigns.link.url,
    TELEPHONY_URL: telephony.link.url,
    ...env,
  };
  const lifecycles: Lifecycle[] = [];
  const boot = async (own: Record<string, string> = {}): Promise<Booted> => {
    const config = parseConfig(configSchema, { ...shared, ...own });
    const lifecycle = createLifecycle(log, { deadlineMs: 10_000 });
    lifecycles.push(lifecycle);
    const context = await createContext(config, { lifecycle, log });
    const { port } = await startServer(context);
    startConsumers(context);
    startJobs(context);
    return { url: `http://127.0.0.1:${port}`, context };
  };
  const first = await boot();

  /** Sends a request on behalf of a key of the workspace, or of `actor`; a text body is sent unchanged. */
  const ask = async (
    workspaceId: string,
    method: string,
    path: string,
    { body, headers, actor, at = first }: AskOptions = {},
  ): Promise<HttpAnswer> => {
    const claims = actor ? { workspaceId, actor } : { workspaceId };
    const response = await fetch(`${at.url}${path}`, {
      method,
      headers: {
        [INTERNAL_TOKEN_HEADER]: internalToken(SECRET, 'assistants', claims),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text ? JSON.parse(text) : undefined,
    };
  };

  const post = (workspaceId: string, path: string, body: unknown, headers?: Record<string, string>) =>
    ask(workspaceId, 'POST', path, headers ? { body, headers } : { body });

  return {
    bus,
    sql,
    campaigns,
    telephony,
    context: first.context,
    /** Boots another process on the same database and broker. */
    boot,
    ask,
    post,
    get: (workspaceId: string, path: string) => ask(workspaceId, 'GET', path),
    put: (workspaceId: string, path: string, body: unknown) => ask(workspaceId, 'PUT', path, { body }),
    remove: (workspaceId: string, path: string) => ask(workspaceId, 'DELETE', path),
    /** Sends a request as another service. */
    callAsService: (workspaceId: string, method: string, path: string, body?: unknown, at = first) =>
      ask(workspaceId, method, path, { body, actor: { kind: 'service', id: 'telephony' }, at }),
    /** A new assistant's `data`. */
    addAssistant: async (workspaceId: string, config: Json = {}, name = 'Ada'): Promise<Json> => {
      const answer = await whenAvailable(() =>
        post(workspaceId, '/v1/assistant', { agent_name: name, config }),
      );
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body.data;
    },
    /** A new custom tool's `data`. */
    addTool: async (workspaceId: string, agentId: string, fields: Json = {}): Promise<Json> => {
      const answer = await whenAvailable(() =>
        post(workspaceId, '/v1/tool/custom', { ...customTool(agentId), ...fields }),
      );
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body.data;
    },
    close: async () => {
      for (const lifecycle of lifecycles) await lifecycle.stop('test');
      await outside.stop('test');
      await sql.close();
      await bus.close();
      await remove();
      await database.drop();
    },
  };
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

export const newWorkspace = (): string => randomUUID();

/** The minimum body that creates a custom tool. */
export function customTool(agentId: string) {
  return {
    agent_id: agentId,
    tool_name: 'book_table',
    endpoint_url: 'https://example.com/book',
    http_method: 'POST',
  };
}

/** The findings of a `VALIDATION_FAILED` as `path code`. */
export function findings({ status, body }: HttpAnswer): string[] {
  if (status !== 422) throw new Error(`expected 422, got ${status}: ${JSON.stringify(body)}`);
  return body.error.details.map(({ path, code }: Json) => `${path} ${code}`);
}

const MAX_TRIES = 10;
const PAUSE_MS = 200;

/**
 * Repeats a request while it is answered with one of `busy`, as a client does: 503 when all database connections stayed busy for two
 * seconds, 429 when those of the workspace's share did, 409 when a row stayed locked for as long. On a busy machine any of them may happen
 * to a request that comes beside others.
 */
export async function whenAvailable<R extends { status: number }>(
  request: () => Promise<R>,
  busy: readonly number[] = [429, 503],
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await request();
    if (!busy.includes(response.status) || attempt === MAX_TRIES) return response;
    await sleep(PAUSE_MS);
  }
}
