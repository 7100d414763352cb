import { afterEach, describe, expect, it } from '@jest/globals';
import {
  amqpPrefix,
  amqpUrl,
  eventually,
  internalKeys,
  kitDatabase,
  receiver,
  sqlClient,
} from '@parley/testkit';
import { z } from 'zod';
import { brokerConfig, parseConfig, serviceConfig } from '../src/config/index.ts';
import { queryRow, type SqlClient, sql } from '../src/db/index.ts';
import { createLifecycle } from '../src/lifecycle/index.ts';
import { createLogger } from '../src/log/index.ts';
import { createRuntime } from '../src/runtime/index.ts';
import { createClock } from '../src/time/index.ts';
import { getThing, ID, SECRET, WORKSPACE } from './http-harness.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe('createRuntime', () => {
  it('opens what every service needs, with the overrides of a test, and releases it', async () => {
    const database = await kitDatabase('outbox', 'idempotency');
    cleanUps.push(() => database.drop());
    const { prefix, remove } = amqpPrefix();
    cleanUps.push(remove);
    const telephony = await receiver();
    cleanUps.push(telephony.close);
    telephony.script(`/v1/thing/${ID}`, { body: { data: { id: ID, size: 5 } } });
    const log = createLogger({ service: 'test', level: 'silent' });
    const lifecycle = createLifecycle(log, { deadlineMs: 10_000 });
    cleanUps.push(() => lifecycle.stop('test'));
    const config = parseConfig(serviceConfig({ ...brokerConfig, TELEPHONY_URL: z.string() }), {
      PORT: '0',
      DATABASE_URL: database.url,
      AMQP_URL: amqpUrl(),
      AMQP_PREFIX: prefix,
      TELEPHONY_URL: telephony.url,
      ...internalKeys(SECRET, 'gateway'),
    });
    let isDisconnected = false;
    const client = sqlClient(database.url);
    const runtime = await createRuntime(
      {
        name: 'gateway',
        config,
        createPrisma: () => ({
          ...client,
          $transaction: <R>(work: (tx: SqlClient) => Promise<R>) => client.$transaction(work),
          $disconnect: async () => {
            isDisconnected = true;
            await client.close();
          },
        }),
        clients: { telephony: config.TELEPHONY_URL },
      },
      { lifecycle, log },
      { clock: createClock({ rate: 60, originMs: 0 }) },
    );

    expect([runtime.clock.rate, runtime.config]).toEqual([60, config]);
    const found = await runtime.outbox.transaction((tx) =>
      queryRow(tx, z.object({ n: z.number() }), sql`SELECT 1 AS n`),
    );
    expect(found).toEqual({ n: 1 });
    const context = { workspaceId: WORKSPACE };
    const thing = await runtime.clients.telephony.call(getThing, { params: { id: ID } }, context);
    expect(thing).toEqual({ id: ID, size: 5 });
    await eventually(() => expect(runtime.amqp.isUp()).toBe(true));
    expect(await runtime.metrics.registry.metrics()).toContain('parley_database_up{service="gateway"} 1');

    await lifecycle.stop('test');
    expect([isDisconnected, runtime.amqp.canPublish()]).toEqual([true, false]);
  });
});
