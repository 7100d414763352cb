import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCall, getWorkspaceSettings } from '@parley/contracts';
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

export { fakeCall } from './fake-call.ts';

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
