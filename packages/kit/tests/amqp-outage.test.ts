import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type QueueName, topology } from '@parley/contracts';
import { amqpUrl, eventually, type FaultProxy, faultProxy } from '@parley/testkit';
import { connect } from 'amqplib';
import { deadQueueName, queueName } from '../src/amqp/index.ts';
import { isConnectivityError } from '../src/errors/index.ts';
import { type BusProcess, type BusProcesses, busProcesses, publication } from './support/bus.ts';

const queue = 'assistants.phone-numbers';
let test: BusProcesses;
let proxy: FaultProxy;

beforeEach(async () => {
  test = busProcesses();
  proxy = await faultProxy(amqpUrl());
});
afterEach(async () => {
  await test.close();
  await proxy.close();
});

/** Consumes by way of the proxy and keeps the versions that it received. */
function consumeVersions(): BusProcess & { received: number[] } {
  const received: number[] = [];
  const process = test.start(proxy.url);
  process.amqp.consume({
    queue,
    handlers: {
      'phone-number.updated': async () => {},
      'phone-number.deleted': async ({ data }) => void received.push(data.version),
    },
  });
  return { ...process, received };
}

/** Publishes as the outbox does: again, until it is confirmed. */
async function publishSurely({ amqp }: BusProcess, version: number): Promise<void> {
  const message = publication(version);
  await eventually(() => amqp.publish(message), { timeoutMs: 20_000 });
}

const up = ({ amqp }: BusProcess) => eventually(() => expect(amqp.isUp()).toBe(true), { timeoutMs: 20_000 });

describe('a broker that is unavailable', () => {
  it('loses nothing that was confirmed, however often it is interrupted', async () => {
    const process = consumeVersions();
    await up(process);
    const versions = Array.from({ length: 120 }, (_, index) => index);
    const publishing = (async () => {
      for (const version of versions) await publishSurely(process, version);
    })();
    for (let cut = 0; cut < 3; cut += 1) {
      await eventually(() => expect(process.received.length).toBeGreaterThan(cut * 10));
      proxy.cut();
      await eventually(() => expect(process.amqp.isUp()).toBe(false));
      proxy.restore();
      await up(process);
    }
    await publishing;
    await eventually(() => expect([...new Set(process.received)].sort((a, b) => a - b)).toEqual(versions));
  });

  it('is waited for at the start, too', async () => {
    proxy.cut();
    const process = consumeVersions();
    expect(process.amqp.isUp()).toBe(false);
    expect(process.amqp.canPublish()).toBe(false);
    const refused = await process.amqp.publish(publication(1)).catch((err: unknown) => err);
    expect(isConnectivityError(refused)).toBe(true);
    await sleep(300);
    proxy.restore();
    await up(process);
    await publishSurely(process, 2);
    await eventually(() => expect(process.received).toEqual([2]));
  });

  it('without any response fails pending publications, and a new connection is opened', async () => {
    const process = consumeVersions();
    await up(process);
    proxy.freeze();
    const refused = await process.amqp.publish(publication(1)).catch((err: unknown) => err);
    expect(isConnectivityError(refused)).toBe(true);
    expect(process.amqp.canPublish()).toBe(false);
    proxy.restore();
    await up(process);
    await publishSurely(process, 2);
    await eventually(() => expect(process.received).toContain(2));
  });

  it('without confirms ends a pass over dead letters, which lose nothing', async () => {
    const dead = deadQueueName(test.prefix, queue);
    const process = consumeVersions();
    await up(process);
    const connection = await connect(amqpUrl());
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue(dead, Buffer.from('letter'));
    await channel.waitForConfirms();
    // Without heartbeats nothing else ends the connection.
    const walker = test.start(`${proxy.url}?heartbeat=0`);
    const walk = (act: () => void) =>
      walker.amqp.rewriteDeadLetters({
        queue,
        left: null,
        rewrite: async () => {
          act();
          return 'rewritten';
        },
      });
    await expect(walk(proxy.freeze)).rejects.toThrow('confirm timed out');
    proxy.restore();
    await eventually(async () => expect(await walk(() => {})).toMatchObject({ changed: 1, left: 0 }));
    expect(await channel.get(dead)).toMatchObject({ content: Buffer.from('rewritten') });
    await connection.close();
  });

  it('does not prevent the process from stopping', async () => {
    const process = consumeVersions();
    await up(process);
    proxy.cut();
    await process.stop();
  });
});

describe('queues that are deleted', () => {
  beforeEach(async () => {
    const process = consumeVersions();
    await up(process);
    await process.stop();
  });

  /** All that the test's type is bound to: with one left, the message is routed. */
  const deleteQueues = async (): Promise<void> => {
    const connection = await connect(amqpUrl(), { noDelay: true });
    const channel = await connection.createChannel();
    for (const [name, { types }] of Object.entries(topology)) {
      const bound: readonly string[] = types;
      if (!bound.includes('phone-number.deleted')) continue;
      await channel.deleteQueue(queueName(test.prefix, name as QueueName));
    }
    await connection.close();
  };

  it('are declared again by their consumers', async () => {
    const process = consumeVersions();
    await up(process);
    await deleteQueues();
    await eventually(async () => {
      await process.amqp.publish(publication(1));
      expect(process.received).toContain(1);
    });
  });

  it('are declared again by their publishers, and the message counts as not published before', async () => {
    const process = test.start(proxy.url);
    await up(process);
    await deleteQueues();
    const refused = await process.amqp.publish(publication(1)).catch((err: unknown) => err);
    expect(isConnectivityError(refused)).toBe(true);
    await publishSurely(process, 2);
    const consumer = consumeVersions();
    await eventually(() => expect(consumer.received).toEqual([2]));
  });
});

describe('publish', () => {
  it('counts a message without a matching queue as published', async () => {
    const process = test.start();
    await up(process);
    await process.amqp.publish({ ...publication(1), type: 'nobody.listens' });
    expect(process.amqp.canPublish()).toBe(true);
  });
});
