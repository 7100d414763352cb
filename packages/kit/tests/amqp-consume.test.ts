import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { amqpUrl, eventually } from '@parley/testkit';
import { connect } from 'amqplib';
import { queueName } from '../src/amqp/index.ts';
import { AppError } from '../src/errors/index.ts';
import { type BusTest, busTest, type NumberDeleted, numberDeleted, publication } from './support/bus.ts';
import { gate } from './support/gate.ts';

const queue = 'assistants.phone-numbers';
const workspaceId = randomUUID();
let test: BusTest;

beforeAll(async () => {
  test = await busTest();
});
afterAll(() => test.close());

/** A process whose consumer does `handle` with deleted numbers. */
function consume(
  handle: (message: NumberDeleted) => void | Promise<void>,
  options: { prefetch?: number; tries?: number } = {},
) {
  const process = test.start();
  process.amqp.consume({
    queue,
    handlers: {
      'phone-number.updated': async () => {},
      'phone-number.deleted': async (message) => handle(message),
    },
    ...options,
  });
  return process;
}

const publish = (version: number) =>
  test.bus.publish('phone-number.deleted', workspaceId, numberDeleted(version));

describe('consume', () => {
  it('delivers messages that were published while no consumer was running', async () => {
    const { amqp, stop } = test.start();
    await eventually(() => expect(amqp.canPublish()).toBe(true));
    const message = publication(1);
    await amqp.publish(message);
    await stop();

    const received: NumberDeleted[] = [];
    const process = consume((message) => void received.push(message));
    await eventually(() => expect(received).toHaveLength(1));
    expect(received[0]).toEqual(JSON.parse(message.payload));
    await process.stop();
  });

  it('handles as many messages concurrently as are prefetched, and no more', async () => {
    let running = 0;
    let most = 0;
    const door = gate();
    let done = 0;
    const process = consume(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await door.passed;
        running -= 1;
        done += 1;
      },
      { prefetch: 3 },
    );
    for (let version = 0; version < 7; version += 1) await publish(version);
    await eventually(() => expect(running).toBe(3));
    door.open();
    await eventually(() => expect(done).toBe(7));
    expect(most).toBe(3);
    await process.stop();
  });

  it('dead-letters a poisoned message after five tries, while the others are handled', async () => {
    const passed: number[] = [];
    let tries = 0;
    const process = consume(({ data }) => {
      if (data.version !== 13) return void passed.push(data.version);
      tries += 1;
      throw new Error('poisoned');
    });
    const poisoned = await publish(13);
    for (const version of [14, 15, 16]) await publish(version);
    await eventually(() => expect(passed.sort()).toEqual([14, 15, 16]), { timeoutMs: 2_000 });
    const dead = await eventually(
      async () => {
        const bodies = await test.bus.deadLetters(queue);
        expect(bodies).toHaveLength(1);
        return bodies;
      },
      { timeoutMs: 15_000, everyMs: 250 },
    );
    expect(JSON.parse(dead[0] ?? '')).toMatchObject({ id: poisoned });
    expect(tries).toBe(5);
    await process.stop();
  });

  it('dead-letters a permanently failing message at the first try', async () => {
    const before = (await test.bus.deadLetters(queue)).length;
    let tries = 0;
    const process = consume(() => {
      tries += 1;
      throw new AppError('VALIDATION_FAILED', 'never valid');
    });
    await publish(20);
    await eventually(async () => expect(await test.bus.deadLetters(queue)).toHaveLength(before + 1));
    expect(tries).toBe(1);
    await process.stop();
  });

  it.each([
    ['no JSON', 'not json'],
    ['no envelope', '{"id":1}'],
    [
      'data of another shape',
      JSON.stringify({ ...JSON.parse(publication(1).payload), data: { version: 'x' } }),
    ],
    [
      'a type that is bound but unknown',
      JSON.stringify({ ...JSON.parse(publication(1).payload), type: 'no.such' }),
    ],
  ])('dead-letters %s without a try', async (_, content) => {
    const before = (await test.bus.deadLetters(queue)).length;
    let tries = 0;
    const process = consume(() => {
      tries += 1;
    });
    await test.bus.publishRaw('phone-number.deleted', content);
    await eventually(async () => {
      const bodies = await test.bus.deadLetters(queue);
      expect(bodies).toHaveLength(before + 1);
      expect(bodies).toContain(content);
    });
    expect(tries).toBe(0);
    await process.stop();
  });

  it('is protected from a message that kills its consumers: the broker dead-letters it', async () => {
    const before = (await test.bus.deadLetters(queue)).length;
    const id = await publish(25);
    const connection = await connect(amqpUrl(), { noDelay: true });
    for (let death = 0; death <= 20; death += 1) {
      const channel = await connection.createChannel();
      await eventually(async () => expect(await channel.get(queueName(test.prefix, queue))).not.toBe(false));
      await channel.close();
    }
    await connection.close();
    await eventually(async () => {
      const bodies = await test.bus.deadLetters(queue);
      expect(bodies).toHaveLength(before + 1);
      expect(bodies.some((body) => body.includes(id))).toBe(true);
    });
  });

  it("retains a message during an outage of its handler's dependency, without using up a try", async () => {
    const failures = [1, 2].map(() => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    let handled = 0;
    const process = consume(
      () => {
        const failure = failures.shift();
        if (failure) throw failure;
        handled += 1;
      },
      { tries: 1 },
    );
    await publish(30);
    await eventually(() => expect(handled).toBe(1));
    await process.stop();
  });
});

describe('stop', () => {
  it('waits for the handler and sends its acknowledgement', async () => {
    const door = gate();
    const entered = gate();
    let handled = 0;
    const process = consume(async () => {
      entered.open();
      await door.passed;
      handled += 1;
    });
    await publish(40);
    await entered.passed;
    const stopped = process.stop();
    door.open();
    await stopped;
    expect(handled).toBe(1);

    const received: number[] = [];
    const next = consume(({ data }) => void received.push(data.version), { prefetch: 1 });
    await publish(41);
    await eventually(() => expect(received).toContain(41));
    expect(received).toEqual([41]);
    await next.stop();
  });

  it('releases a message between two tries, so that another process handles it', async () => {
    let tries = 0;
    const process = consume(() => {
      tries += 1;
      throw new Error('fails here');
    });
    await publish(50);
    await eventually(() => expect(tries).toBeGreaterThan(1));
    await process.stop();

    const received: number[] = [];
    const next = consume(({ data }) => void received.push(data.version));
    await eventually(() => expect(received).toEqual([50]));
    await next.stop();
  });
});
