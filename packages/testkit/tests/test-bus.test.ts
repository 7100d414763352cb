import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import {
  type AmqpPrefix,
  amqpPrefix,
  amqpUrl,
  busOf,
  eventually,
  type TestBus,
  testBus,
} from '../src/index.ts';

let own: AmqpPrefix;
let bus: TestBus;

beforeAll(async () => {
  own = amqpPrefix();
  bus = await testBus(own.prefix);
});
afterAll(async () => {
  await bus.close();
  await own.remove();
});

const data = { agent_id: randomUUID(), version: 1 };

describe('testBus', () => {
  it('receives what is published, by type', async () => {
    const workspaceId = randomUUID();
    const id = await bus.publish('assistant.deleted', workspaceId, data);
    await eventually(() => expect(bus.received('assistant.deleted')).toHaveLength(1));
    expect(bus.received('assistant.deleted')[0]).toMatchObject({ id, workspace_id: workspaceId, data });
    expect(bus.received('assistant.updated')).toEqual([]);
  });

  it('publishes only messages of the contract', async () => {
    const wrong = { ...data, version: 1.5 };
    await expect(bus.publish('assistant.deleted', randomUUID(), wrong)).rejects.toThrow();
  });

  it('leaves dead letters in their queue', async () => {
    expect(await bus.deadLetters('telephony.dials')).toEqual([]);
    const connection = await connect(amqpUrl());
    const channel = await connection.createConfirmChannel();
    channel.publish(`${own.prefix}.dead`, `${own.prefix}.telephony.dials`, Buffer.from('letter'));
    await channel.waitForConfirms();
    await connection.close();
    for (let look = 0; look < 3; look += 1) {
      await eventually(async () => expect(await bus.deadLetters('telephony.dials')).toEqual(['letter']));
    }
  });
});

describe('busOf', () => {
  it('declares the queues of its service alone, and receives what others would', async () => {
    const { prefix, remove } = amqpPrefix();
    const webhooks = await busOf('webhooks', prefix);
    try {
      expect(await webhooks.deadLetters('webhooks.assistants')).toEqual([]);
      const id = await webhooks.publish('phone-number.deleted', randomUUID(), {
        phone_number_id: randomUUID(),
        phone_number: '+14155550100',
        version: 1,
      });
      await eventually(() => expect(webhooks.received('phone-number.deleted')).toMatchObject([{ id }]));
      const connection = await connect(amqpUrl());
      const channel = await connection.createChannel();
      channel.on('error', () => {});
      await channel.checkQueue(`${prefix}.webhooks.calls`);
      await expect(channel.checkQueue(`${prefix}.campaigns.phone-numbers`)).rejects.toThrow(/NOT_FOUND/);
      await connection.close();
    } finally {
      await webhooks.close();
      await remove();
    }
  });
});

describe('amqpPrefix', () => {
  it('removes the queues of killed processes', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const left = `test-${randomUUID()}`;
    await (await testBus(left)).close();
    writeFileSync(join(tmpdir(), 'parley-test-prefixes', left), String(gone));
    await amqpPrefix().remove();
    const connection = await connect(amqpUrl());
    const channel = await connection.createChannel();
    channel.on('error', () => {});
    await expect(channel.checkQueue(`${left}.telephony.dials`)).rejects.toThrow(/NOT_FOUND/);
    await connection.close();
  });

  it('removes its queues and exchanges', async () => {
    const other = amqpPrefix();
    await (await testBus(other.prefix)).close();
    await other.remove();
    const connection = await connect(amqpUrl());
    for (const check of ['checkQueue', 'checkExchange'] as const) {
      const channel = await connection.createChannel();
      channel.on('error', () => {});
      const name = check === 'checkQueue' ? 'telephony.dials' : 'events';
      await expect(channel[check](`${other.prefix}.${name}`)).rejects.toThrow(/NOT_FOUND/);
    }
    await connection.close();
  });
});
