import { getDialRates, getDialStates, withdrawDials } from '@parley/contracts';
import { declareTopology, exchangeName } from '@parley/kit/amqp';
import { createApp, listen, mount } from '@parley/kit/http';
import { newId } from '@parley/kit/ids';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { amqpUrl, internalTokensOfPeers } from '@parley/testkit';
import { connect } from 'amqplib';

/** The contact (`campaign/contact`), and when its dial was requested. */
export type Dial = { contact: string; atMs: number };

type Deps = { prefix: string; secret: string; maxCps: number; log: Log; lifecycle: Lifecycle };

/** A fake of telephony that dials every request immediately and reports busy, so that only the dispatcher is measured. */
export async function fakeTelephony({
  prefix,
  secret,
  maxCps,
  log,
  lifecycle,
}: Deps): Promise<{ url: string; dials: Dial[] }> {
  const dials: Dial[] = [];
  const connection = await connect(amqpUrl(), { noDelay: true });
  lifecycle.onStop('bus', () => connection.close());
  const channel = await connection.createChannel();
  await declareTopology(channel, prefix);
  const publish = (type: string, workspaceId: string, data: object): void => {
    const occurred_at = new Date().toISOString();
    const message = { id: newId(), type, occurred_at, workspace_id: workspaceId, data };
    channel.publish(exchangeName(prefix), type, Buffer.from(JSON.stringify(message)), { persistent: true });
  };
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, exchangeName(prefix), 'dial.requested');
  await channel.consume(
    queue,
    (delivery) => {
      if (!delivery) return;
      const atMs = Date.now();
      const { workspace_id, data } = JSON.parse(delivery.content.toString('utf8'));
      const { call_id, contact_id, campaign_id } = data;
      dials.push({ contact: `${campaign_id} ${contact_id}`, atMs });
      const campaign = { campaign_id, contact_id };
      publish('call.dialing', workspace_id, { call_id, campaign });
      const at = new Date(atMs).toISOString();
      publish('call.ended', workspace_id, {
        ...{
          call_id,
          campaign,
          call_type: 'outbound',
          from_number: '+15550000000',
          to_number: data.to_number,
        },
        ...{ dynamic_variables: {}, agent: { agent_id: data.agent_id, version: 1, webhook_url: null } },
        ...{ started_at: at, answered_at: null, ended_at: at, duration: 0, cost: 0 },
        ...{ disconnection_reason: 'dial_busy', retryable: true, voicemail_message_left: false },
      });
    },
    { noAck: true },
  );

  const app = createApp({
    service: 'fake telephony',
    log,
    metrics: createMetrics('fake'),
    internalTokens: internalTokensOfPeers(secret, ['telephony', 'assistants']),
    readiness: async () => {},
  });
  mount(app, getDialRates, ({ body }) =>
    body.phone_number_ids.map((phone_number_id) => ({ phone_number_id, max_cps: maxCps, is_active: true })),
  );
  mount(app, withdrawDials, () => ({ withdrawn: 0 }));
  mount(app, getDialStates, ({ body }) =>
    body.call_ids.map((call_id) => ({ call_id, state: 'waiting' as const })),
  );
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  return { url: `http://127.0.0.1:${port}`, dials };
}
