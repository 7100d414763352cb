import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCall, getWorkspaceSettings, type MessageData } from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { newWebhookSecret } from '@parley/kit/outbound';
import { amqpPrefix, amqpUrl, testBus, testDatabase } from '@parley/testkit';
import { configSchema } from '../src/config.ts';
import { startConsumers } from '../src/consumers.ts';
import { createContext } from '../src/context.ts';
import { startJobs } from '../src/jobs.ts';
import { startServer } from '../src/server.ts';

export const INTERNAL_SECRET = 'internal-token-secret-of-the-tests';
export const SECRET = newWebhookSecret();

/** Gateway and telephony as far as webhooks asks them; `down` makes every question fail. */
async function fakePeers() {
  const state = { down: false, calls: new Set<string>() };
  const server = createServer((req, res) => {
    const url = req.url ?? '';
    if (state.down) return void res.writeHead(503).end('{}');
    res.setHeader('content-type', 'application/json');
    const id = url.split('/').at(-1) ?? '';
    if (url.startsWith(getWorkspaceSettings.path.replace(':id', ''))) {
      const data = { workspace_id: id, rate_cents: 10, max_live_calls: 20, webhook_secrets: [SECRET] };
      return void res.end(JSON.stringify({ success: true, data }));
    }
    const known = url.startsWith(getCall.path.replace(':id', '')) && state.calls.has(id);
    res
      .writeHead(known ? 500 : 404)
      .end(JSON.stringify({ success: false, error: { code: 'NOT_FOUND', message: '-' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state, close };
}

type Options = { clockRate?: number; env?: Record<string, string> };

/** The real service on a database and a broker prefix of its own; `replica` starts another one beside it. */
export async function bootWebhooks({ clockRate = 1, env = {} }: Options = {}) {
  const database = await testDatabase('webhooks');
  const broker = amqpPrefix();
  const bus = await testBus(broker.prefix);
  const peers = await fakePeers();
  const originMs = Date.now();
  const stops: (() => Promise<void>)[] = [];

  const replica = async () => {
    const log = createLogger({ service: 'webhooks', level: 'silent' });
    const lifecycle = createLifecycle(log, { deadlineMs: 15_000 });
    const config = parseConfig(configSchema, {
      PORT: '0',
      DATABASE_URL: database.url,
      AMQP_URL: amqpUrl(),
      AMQP_PREFIX: broker.prefix,
      NODE_ENV: 'test',
      CLOCK_RATE: String(clockRate),
      CLOCK_ORIGIN_MS: String(originMs),
      INTERNAL_TOKEN_SECRET: INTERNAL_SECRET,
      GATEWAY_INTERNAL_URL: peers.url,
      TELEPHONY_URL: peers.url,
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      ...env,
    });
    const context = await createContext(config, { lifecycle, log });
    const { port } = await startServer(context);
    startConsumers(context, startJobs(context));
    const stop = () => lifecycle.stop('test');
    stops.push(stop);
    return { context, url: `http://127.0.0.1:${port}`, stop };
  };

  return {
    ...(await replica()),
    replica,
    bus,
    peers: peers.state,
    stopAll: async () => {
      for (const stop of stops) await stop();
      await bus.close();
      await broker.remove();
      await peers.close();
      await database.drop();
    },
  };
}

export type Webhooks = Awaited<ReturnType<typeof bootWebhooks>>;

/** A call of an assistant with this URL, as telephony tells of it. */
export function fakeCall(url: string | null, now: Date, agentId: string = randomUUID()) {
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
  const facts = {
    call_id: randomUUID(),
    call_type: 'outbound' as const,
    from_number: '+14155550100',
    to_number: '+14155550199',
    dynamic_variables: { first_name: 'Ada' },
    agent: { agent_id: agentId, version: 1, webhook_url: url },
    campaign: null,
  };
  const started: MessageData<'call.started'> = { ...facts, started_at: at(-20), answered_at: at(-15) };
  const ended: MessageData<'call.ended'> = {
    ...started,
    ended_at: at(0),
    duration: 15,
    cost: 3,
    disconnection_reason: 'user_hangup',
    retryable: false,
    voicemail_message_left: false,
  };
  const spoken = { role: 'user' as const, content: 'Hello', timestamp: at(-10) };
  const tool = {
    role: 'tool' as const,
    tool_name: 'book',
    query: '{"day":"Monday"}',
    status_code: 200,
    result: { ok: true },
    error: null,
    documents: null,
    timestamp: at(-8),
  };
  const analyzed: MessageData<'call.analyzed'> = {
    ...ended,
    edition: 1,
    call_sid: 'room-1',
    recording_url: null,
    recording_sid: null,
    created_at: at(-21),
    updated_at: at(1),
    transcript: [spoken, tool],
    summary: 'They talked.',
    analysis_data: { interested: true },
    tools: [
      {
        tool_name: 'book',
        tool_type: 'custom',
        description: null,
        args: { day: 'Monday' },
        result: { ok: true },
        error: null,
        executed_at: at(-8),
        slow: false,
      },
    ],
  };
  return { started, ended, analyzed, callId: facts.call_id, agentId };
}
