import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { amqpUrl } from '@parley/testkit';
import { type ChannelModel, connect } from 'amqplib';
import { WATCHING_QUEUE } from '../src/amqp/watcher.ts';

const MIB = 1024 ** 2;

let model: ChannelModel;
beforeAll(async () => {
  model = await connect(amqpUrl());
});
afterAll(async () => {
  await model.close();
});

it('the queue of a watcher that cannot keep up keeps the newest messages, 16 MiB at most', async () => {
  const channel = await model.createConfirmChannel();
  const { queue } = await channel.assertQueue('', WATCHING_QUEUE);
  for (let n = 0; n < 24; n += 1) channel.sendToQueue(queue, Buffer.alloc(MIB, n));
  await channel.waitForConfirms();
  const { messageCount } = await channel.checkQueue(queue);
  expect(messageCount).toBe(16);
  const oldest = await channel.get(queue, { noAck: true });
  expect(oldest ? oldest.content[0] : undefined).toBe(8);
});
