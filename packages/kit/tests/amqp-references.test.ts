import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { amqpUrl, eventually, internalTokens } from '@parley/testkit';
import { connect } from 'amqplib';
import type { ReadContent } from '../src/amqp/index.ts';
import { queueName } from '../src/amqp/names.ts';
import { createLifecycle } from '../src/lifecycle/index.ts';
import { contentOfTelephony } from '../src/outbox/index.ts';
import { type BusTest, busTest, log } from './support/bus.ts';
import { analyzed } from './support/outbox.ts';

let test: BusTest;
beforeEach(async () => {
  test = await busTest();
});
afterEach(() => test.close());

const READ_MS = 150;
const PREFETCH = 8;

/** Publishes a reference as the outbox does. */
async function publishReference(workspaceId: string): Promise<void> {
  const content = { service: 'telephony', bytes: 2_800_000 };
  const envelope = { id: randomUUID(), type: 'call.analyzed', occurred_at: '2026-01-01T00:00:00.000Z' };
  await test.bus.publishRaw(
    'call.analyzed',
    JSON.stringify({ ...envelope, workspace_id: workspaceId, content }),
  );
}

const publishWhole = (workspaceId: string) =>
  test.bus.publish('call.analyzed', workspaceId, analyzed('small').data);

const readSlowly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, READ_MS));

/** A consumer whose contents take as long as `read`; returns what it has handled. */
function consume(read = readSlowly) {
  const process = test.start();
  const handled: { workspaceId: string; atMs: number }[] = [];
  const reading: string[] = [];
  const most = { all: 0, ofWorkspace: 0 };
  const readContent: ReadContent = async ({ id, workspace_id }) => {
    reading.push(workspace_id);
    const own = reading.filter((one) => one === workspace_id).length;
    most.all = Math.max(most.all, reading.length);
    most.ofWorkspace = Math.max(most.ofWorkspace, own);
    await read();
    reading.splice(reading.indexOf(workspace_id), 1);
    const { type, data, occurredAt } = analyzed('large');
    return JSON.stringify({ id, type, occurred_at: occurredAt.toISOString(), workspace_id, data });
  };
  process.amqp.consume({
    queue: 'webhooks.calls',
    prefetch: PREFETCH,
    readContent,
    handlers: {
      'call.started': async () => {},
      'call.ended': async () => {},
      'call.analyzed': async ({ workspace_id }) =>
        void handled.push({ workspaceId: workspace_id, atMs: performance.now() }),
    },
  });
  return { process, handled, most };
}

it('messages by reference hold back no others, and not the references of another workspace [trust.4]', async () => {
  const [large, other] = [randomUUID(), randomUUID()];
  for (let index = 0; index < 40; index += 1) await publishReference(large);
  const { process, handled, most } = consume();
  await eventually(() => expect(handled.length).toBeGreaterThan(0));
  const startedMs = performance.now();
  const tookMs = (): number[] =>
    handled.flatMap(({ workspaceId, atMs }) => (workspaceId === other ? [atMs - startedMs] : []));
  await publishWhole(other);
  await eventually(() => expect(tookMs()).toHaveLength(1), { timeoutMs: 10_000 });
  await publishReference(other);
  await eventually(() => expect(tookMs()).toHaveLength(2), { timeoutMs: 10_000 });
  const [whole = 0, reference = 0] = tookMs();
  expect(whole).toBeLessThan(200);
  expect(reference).toBeLessThan(1_000);
  await eventually(() => expect(handled).toHaveLength(42), { timeoutMs: 20_000 });
  expect(most).toEqual({ all: 2, ofWorkspace: 1 });
  expect(await test.bus.deadLetters('webhooks.calls')).toEqual([]);
  await process.stop();
}, 45_000);

it('a process takes about a hundred references at a time, so that its crash counts for no others', async () => {
  const workspaceId = randomUUID();
  for (let index = 0; index < 150; index += 1) await publishReference(workspaceId);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  const left = async (): Promise<number> => {
    const { messageCount } = await channel.checkQueue(queueName(test.prefix, 'webhooks.calls'));
    return messageCount;
  };
  expect(await left()).toBe(150);
  const { process } = consume(() => released);
  await eventually(async () => expect(await left()).toBeLessThanOrEqual(50), { timeoutMs: 10_000 });
  // Longer than a consumer needs for all of them.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await left()).toBeGreaterThan(50 - PREFETCH);
  release();
  await process.stop();
  await connection.close();
}, 30_000);

it('a stop releases messages that wait for their turn', async () => {
  const workspaceId = randomUUID();
  for (let index = 0; index < 20; index += 1) await publishReference(workspaceId);
  const first = consume();
  await eventually(() => expect(first.handled.length).toBeGreaterThan(0));
  const startedMs = performance.now();
  await first.process.stop();
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  const done = first.handled.length;
  expect(done).toBeLessThan(20);
  const second = consume();
  await eventually(() => expect(second.handled).toHaveLength(20 - done), { timeoutMs: 10_000 });
  expect(await test.bus.deadLetters('webhooks.calls')).toEqual([]);
  await second.process.stop();
}, 30_000);

it('waits for a content longer than for other requests', async () => {
  const server = createServer((_, res) => {
    setTimeout(() => {
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ data: { payload: 'large' } }));
    }, 3_000);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  const tokens = internalTokens('s'.repeat(32), 'webhooks');
  const read = contentOfTelephony({ caller: 'webhooks', baseUrl, internalTokens: tokens, log }, lifecycle);
  const reference = {
    ...{ id: randomUUID(), type: 'call.analyzed' as const, occurred_at: '2026-01-01T00:00:00.000Z' },
    ...{ workspace_id: randomUUID(), content: { service: 'telephony' as const, bytes: 2_800_000 } },
  };
  await expect(read(reference)).resolves.toBe('large');
  await lifecycle.stop('test');
  server.close();
}, 15_000);
