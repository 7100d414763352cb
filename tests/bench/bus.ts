import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { connectAmqp } from '@parley/kit/amqp';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { createOutbox, enqueue, type NewMessage } from '@parley/kit/outbox';
import { amqpPrefix, amqpUrl, eventually, kitDatabase, sqlClient } from '@parley/testkit';
import { type Latencies, runBench, toLine } from '@parley/testkit/load';
import { type Arrival, machineMs, runConsumer } from './bus/consumer.ts';
import { measure } from './bus/measure.ts';

// Latency from commit to handler in another process, with one transaction per message; and from publish to handler, without
// the outbox, for comparison. Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const RATE_PER_SECOND = 500;
const BAR_P99_MS = 30;
const BAR_RATE = 0.99 * RATE_PER_SECOND;
const WARM_UP_SECONDS = 2;

const [role, consumerPrefix = ''] = process.argv.slice(2);
if (role === 'consumer') await runConsumer(consumerPrefix);
else await runBench(bench);

async function bench(lifecycle: Lifecycle, log: Log): Promise<boolean> {
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const database = await kitDatabase('outbox');
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url, { max: 10 });
  lifecycle.onStop('pool', sql.close);
  const amqp = connectAmqp({ url: amqpUrl(), prefix, log, lifecycle });
  const outbox = createOutbox({
    prisma: sql,
    databaseUrl: database.url,
    amqp,
    log,
    lifecycle,
    metrics: createMetrics('bench'),
  });
  const arrivals = new Map<string, number>();
  const consumer = fork(fileURLToPath(import.meta.url), ['consumer', prefix]);
  lifecycle.onStop('consumer', () => leave(consumer));
  consumer.on('message', (batch: Arrival[]) => {
    for (const [id, atMs] of batch) arrivals.set(id, atMs);
  });
  await eventually(
    () => {
      if (!amqp.canPublish()) throw new Error('the broker is unavailable');
    },
    { timeoutMs: 30_000 },
  );

  const publishBare = async () => {
    const { id, type, workspaceId, occurredAt, data } = newMessage();
    const envelope = { id, type, occurred_at: occurredAt.toISOString(), workspace_id: workspaceId, data };
    const sentMs = machineMs();
    await amqp.publish({ id, type, payload: JSON.stringify(envelope) });
    return { id, sentMs };
  };
  const commit = async () => {
    const message = newMessage();
    await outbox.transaction((tx) => enqueue(tx, message));
    return { id: message.id, sentMs: machineMs() };
  };
  const load = { ratePerSecond: RATE_PER_SECOND, arrivals };

  console.log(`${RATE_PER_SECOND} messages a second, one transaction each, handled in another process`);
  await measure({ ...load, seconds: WARM_UP_SECONDS, send: commit });
  const through = await measure({ ...load, seconds: 20, send: commit });
  print('commit → outbox → handler', through);
  print('publish → handler (bare)', await measure({ ...load, seconds: 5, send: publishBare }));
  const met = through.p99 <= BAR_P99_MS && through.ratePerSecond >= BAR_RATE;
  console.log(
    `bar: p99 ≤ ${BAR_P99_MS} ms at ${RATE_PER_SECOND}/s through the outbox: ${met ? 'met' : 'MISSED'}`,
  );
  return met;
}

/** The message for each due contact of a campaign: the most frequent of the platform, consumed by one queue. */
function newMessage(): NewMessage<'dial.requested'> & { id: string } {
  return {
    id: randomUUID(),
    type: 'dial.requested',
    workspaceId: randomUUID(),
    occurredAt: new Date(),
    data: {
      call_id: randomUUID(),
      campaign_id: randomUUID(),
      contact_id: randomUUID(),
      generation: 1,
      agent_id: randomUUID(),
      phone_number_id: randomUUID(),
      to_number: '+14155550100',
      dynamic_variables: { contact_name: 'Ada', plan: 'basic' },
    },
  };
}

async function leave(consumer: ChildProcess): Promise<void> {
  const exited = new Promise<void>((resolve) => consumer.once('exit', () => resolve()));
  if (consumer.exitCode === null) {
    consumer.disconnect();
    await exited;
  }
}

function print(what: string, latencies: Latencies): void {
  console.log(toLine(what, latencies, 'messages'));
}
