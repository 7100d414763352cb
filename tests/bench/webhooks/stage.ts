import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getAssistantWebhookSecrets } from '@parley/contracts';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { newWebhookSecret } from '@parley/kit/outbound';
import { amqpPrefix, freePort, type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { withoutOwnSecrets } from '@parley/testkit/fakes';
import { postgresMs } from '@parley/testkit/load';
import { startService } from '@parley/testkit/stage';

export type Stage = {
  sql: SqlClient;
  prefix: string;
  /** Starts the compiled service with default settings; returns its memory and CPU time so far. */
  startService(): Promise<Usage>;
};

/** So far: `cpuMs` of the service, `postgresMs` of its connections. */
export type Usage = () => Promise<{ residentBytes: number; cpuMs: number; postgresMs: number }>;

/** A separate database and broker prefix, and a fake of the gateway that serves every workspace's secret. */
export async function setStage(lifecycle: Lifecycle): Promise<Stage> {
  const database = await testDatabase('webhooks', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const gatewayUrl = await startGateway(lifecycle);
  const env = {
    LOG_LEVEL: 'info',
    DATABASE_URL: database.url,
    AMQP_PREFIX: prefix,
    GATEWAY_INTERNAL_URL: gatewayUrl,
    TELEPHONY_URL: gatewayUrl,
    ASSISTANTS_URL: gatewayUrl,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  };
  const start = async (): Promise<Usage> => {
    const { memory, processorMs } = await startService('webhooks', { env, log: 'ignore' }, lifecycle);
    return async () => ({
      residentBytes: await memory.now(),
      cpuMs: await processorMs(),
      postgresMs: await postgresMs(sql),
    });
  };
  return { sql, prefix, startService: start };
}

async function startGateway(lifecycle: Lifecycle): Promise<string> {
  const secret = newWebhookSecret();
  const port = await freePort();
  const server = createServer(async (req, res) => {
    if (req.url === getAssistantWebhookSecrets.path) return void res.end(await withoutOwnSecrets(req));
    const id = req.url?.split('/').at(-1);
    const data = { workspace_id: id, rate_cents: 10, max_live_calls: 20, webhook_secrets: [secret] };
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  lifecycle.onStop('gateway', () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

/** Starts `count` endpoints in a child process, which runs `program receivers <count>`; returns their ports. */
export async function startReceivers(
  program: string,
  count: number,
  lifecycle: Lifecycle,
): Promise<readonly number[]> {
  const child = fork(program, ['receivers', String(count)]);
  lifecycle.onStop('receivers', () => ended(child, () => child.disconnect()));
  const [ports] = await once(child, 'message');
  return ports;
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  end();
  await exited;
}
