import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  type callDetail,
  getAssistantWebhookSecrets,
  getCall,
  getWorkspaceSettings,
  type SigningSecret,
} from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { newWebhookSecret } from '@parley/kit/outbound';
import {
  amqpPrefix,
  amqpUrl,
  busOf,
  faultProxy,
  internalKeys,
  internalToken,
  QUEUES_PROVIDED,
  testDatabase,
} from '@parley/testkit';
import request from 'supertest';
import type { z } from 'zod';
import { configSchema } from '../src/config.ts';
import { createContext } from '../src/context.ts';
import { startConsumers } from '../src/events/consumers.ts';
import type { AttemptView, EventView } from '../src/history/history.store.ts';
import { startJobs } from '../src/jobs.ts';
import { startServer } from '../src/server.ts';

export { fakeCall } from '@parley/testkit/fakes';

export const INTERNAL_SECRET = 'internal-token-secret-of-the-tests';
export const SECRET = newWebhookSecret();

/** Gateway, assistants and telephony in one server: `down` fails every request, `downPaths` those under a path; telephony knows `calls`; `own` are secrets of assistants. */
async function fakePeers() {
  const state = {
    down: false,
    downPaths: [] as string[],
    calls: new Set<string>(),
    secrets: [SECRET],
    own: new Map<string, SigningSecret[]>(),
    version: 1_000,
  };
  const server = createServer(async (req, res) => {
    const url = req.url ?? '';
    if (state.down || state.downPaths.some((path) => url.startsWith(path)))
      return void res.writeHead(503).end('{}');
    res.setHeader('content-type', 'application/json');
    if (url === getAssistantWebhookSecrets.path) {
      const { agent_ids } = (await json(req)) as { agent_ids: string[] };
      const data = agent_ids.map((agent_id) => ({
        agent_id,
        version: state.version,
        webhook_secrets: state.own.get(agent_id) ?? [],
      }));
      return void res.end(JSON.stringify({ success: true, data }));
    }
    const id = url.split('/').at(-1) ?? '';
    if (url.startsWith(getWorkspaceSettings.path.replace(':id', ''))) {
      const data = { workspace_id: id, rate_cents: 10, max_live_calls: 20, webhook_secrets: state.secrets };
      return void res.end(JSON.stringify({ success: true, data }));
    }
    if (url.startsWith(getCall.path.replace(':id', '')) && state.calls.has(id))
      return void res.end(JSON.stringify({ success: true, data: callRead(id) }));
    res.writeHead(404).end(JSON.stringify({ success: false, error: { code: 'NOT_FOUND', message: '-' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state, close };
}

/** A queued call as telephony returns it. */
function callRead(id: string): z.output<typeof callDetail> {
  const ids = {
    id,
    workspace_id: id,
    agent_id: id,
    phone_number_id: null,
    campaign_id: null,
    call_sid: null,
  };
  const ends = { duration: null, cost: null, started_at: null, answered_at: null, ended_at: null };
  const record = { recording_url: null, recording_sid: null, summary: null, transcript: null };
  const rest = {
    enhanced_transcript: null,
    transcript_json: null,
    transcript_fix_count: 0,
    analysis_data: null,
  };
  return {
    ...ids,
    ...ends,
    ...record,
    ...rest,
    agent_name: 'Ada',
    call_type: 'web',
    from_number: null,
    to_number: null,
    status: 'queued',
    disconnection_reason: null,
    created_at: '2026-01-31T08:00:00.000Z',
    updated_at: '2026-01-31T08:00:00.000Z',
    dynamic_variables: {},
    metadata: {},
    unresolved_placeholders: [],
  };
}

/** `hasDatabaseProxy`: the service reaches its database through a proxy that the test can cut. */
type Options = { clockRate?: number; env?: Record<string, string>; hasDatabaseProxy?: boolean };

/** The real service on a database and a broker prefix of its own; `replica` starts another one beside it. */
export async function bootWebhooks({ clockRate = 1, env = {}, hasDatabaseProxy = false }: Options = {}) {
  const database = await testDatabase('webhooks');
  const proxy = hasDatabaseProxy ? await faultProxy(database.url) : undefined;
  const broker = amqpPrefix();
  const bus = await busOf('webhooks', broker.prefix);
  const peers = await fakePeers();
  const originMs = Date.now();
  const stops: (() => Promise<void>)[] = [];

  const replica = async () => {
    const log = createLogger({ service: 'webhooks', level: 'silent' });
    const lifecycle = createLifecycle(log, { deadlineMs: 15_000 });
    const config = parseConfig(configSchema, {
      PORT: '0',
      DATABASE_URL: proxy?.url ?? database.url,
      DATABASE_POOL: '4',
      AMQP_URL: amqpUrl(),
      AMQP_PREFIX: broker.prefix,
      ...QUEUES_PROVIDED,
      NODE_ENV: 'test',
      CLOCK_RATE: String(clockRate),
      CLOCK_ORIGIN_MS: String(originMs),
      ...internalKeys(INTERNAL_SECRET, 'webhooks'),
      GATEWAY_INTERNAL_URL: peers.url,
      TELEPHONY_URL: peers.url,
      ASSISTANTS_URL: peers.url,
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      ...env,
    });
    const context = await createContext(config, { lifecycle, log });
    const { port } = await startServer(context);
    startConsumers(context, startJobs(context).wake);
    const stop = () => lifecycle.stop('test');
    stops.push(stop);
    return { context, url: `http://127.0.0.1:${port}`, stop };
  };

  const first = await replica();
  return {
    ...first,
    replica,
    bus,
    peers: peers.state,
    proxy,
    ask: (workspaceId: string, method: 'get' | 'post', path: string) =>
      request(first.url)
        [method](path)
        .set(INTERNAL_TOKEN_HEADER, internalToken(INTERNAL_SECRET, 'webhooks', { workspaceId })),
    stopAll: async () => {
      for (const stop of stops) await stop();
      await bus.close();
      await broker.remove();
      await peers.close();
      await proxy?.close();
      await database.drop();
    },
  };
}

export type Webhooks = Awaited<ReturnType<typeof bootWebhooks>>;

/** The events of a call with their attempts, as `GET /v2/call/{id}/webhooks` returns them. */
export async function readEvents(
  { context }: Pick<Webhooks, 'context'>,
  workspaceId: string,
  callId: string,
): Promise<(EventView & { log: AttemptView[] })[]> {
  const events = await context.history.find(workspaceId, callId);
  const readLog = async (event: EventView): Promise<AttemptView[]> => {
    const log: AttemptView[] = [];
    for await (const attempt of event.readAttempts(0)) log.push(attempt);
    return log;
  };
  return Promise.all(events.map(async (event) => ({ ...event, log: await readLog(event) })));
}
