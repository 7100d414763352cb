import type { Context } from './context.ts';
import { settle } from './domain/settle.ts';

/** A call takes three of them, each a short transaction: enough at once to keep the database busy. */
const PREFETCH = 32;

export function startConsumers(context: Context): void {
  const { amqp, campaigns, clock } = context;
  amqp.consume({
    queue: 'campaigns.calls',
    prefetch: PREFETCH,
    handlers: {
      'call.dialing': ({ id, data }) =>
        settle(context, { callId: data.call_id, news: { kind: 'dialing' }, messageId: id }),
      'call.started': async ({ id, data }) => {
        if (data.campaign)
          await settle(context, { callId: data.call_id, news: { kind: 'started' }, messageId: id });
      },
      'call.ended': async ({ id, data }) => {
        const news = { kind: 'ended', ended: data } as const;
        if (data.campaign) await settle(context, { callId: data.call_id, news, messageId: id });
      },
      'dial.refused': ({ id, data }) =>
        settle(context, {
          callId: data.call_id,
          news: { kind: 'refused', reason: data.reason },
          messageId: id,
        }),
    },
  });
  amqp.consume({
    queue: 'campaigns.phone-numbers',
    handlers: {
      // The change says the same however often it is made.
      'phone-number.deleted': ({ data }) => campaigns.forgetNumber(data.phone_number_id, clock.now()),
    },
  });
}
