import { declareTopology, exchangeName } from '@parley/kit/amqp';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { amqpUrl } from '@parley/testkit';
import { connect } from 'amqplib';

type Ended = { reason: string; answered: boolean };

/** The messages between bench and telephony; only the fields that are counted are parsed. */
export type Bus = {
  dial(workspaceId: string, data: Record<string, unknown> & { call_id: string }): void;
  /** Arrivals of `call.started`: the time, and the latency since the answer, in milliseconds. */
  started: { atMs: number; latencyMs: number }[];
  ended: Map<string, Ended>;
  /** Messages of one call beyond the first of their type. */
  repeated: () => number;
};

export async function openBus(prefix: string, lifecycle: Lifecycle): Promise<Bus> {
  const connection = await connect(amqpUrl(), { noDelay: true });
  lifecycle.onStop('bus', () => connection.close());
  const channel = await connection.createConfirmChannel();
  await declareTopology(channel, prefix);
  const started: Bus['started'] = [];
  const ended: Bus['ended'] = new Map();
  const known = new Set<string>();
  let repeated = 0;

  const { queue } = await channel.assertQueue('', { exclusive: true });
  for (const type of ['call.started', 'call.ended'])
    await channel.bindQueue(queue, exchangeName(prefix), type);
  await channel.consume(
    queue,
    (delivery) => {
      if (!delivery) return;
      const atMs = Date.now();
      const { type, data } = JSON.parse(delivery.content.toString('utf8'));
      const key = `${type} ${data.call_id}`;
      if (known.has(key)) repeated += 1;
      else if (type === 'call.started')
        started.push({ atMs, latencyMs: atMs - Date.parse(data.answered_at) });
      else
        ended.set(data.call_id, { reason: data.disconnection_reason, answered: data.answered_at !== null });
      known.add(key);
    },
    { noAck: true },
  );

  return {
    started,
    ended,
    repeated: () => repeated,
    dial: (workspaceId, data) => {
      const message = {
        id: data.call_id,
        type: 'dial.requested',
        occurred_at: new Date().toISOString(),
        workspace_id: workspaceId,
        data,
      };
      const bytes = Buffer.from(JSON.stringify(message));
      channel.publish(exchangeName(prefix), 'dial.requested', bytes, { persistent: true });
    },
  };
}
