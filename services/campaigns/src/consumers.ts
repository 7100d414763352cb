import type { Context } from './context.ts';
import { settle } from './domain/settle.ts';

/** What is unacknowledged together is settled together. */
const PREFETCH = 100;

/** No inbox here: an attempt only moves forward, so that a message which comes again changes nothing. */
export function startConsumers(context: Context): void {
  const { amqp, campaigns, clock } = context;
  amqp.consume({
    queue: 'campaigns.calls',
    prefetch: PREFETCH,
    handlers: {
      'call.dialing': ({ data }) => settle(context, { callId: data.call_id, news: { kind: 'dialing' } }),
      'call.started': async ({ data }) => {
        if (data.campaign) await settle(context, { callId: data.call_id, news: { kind: 'started' } });
      },
      'call.ended': async ({ data }) => {
        if (data.campaign)
          await settle(context, { callId: data.call_id, news: { kind: 'ended', ended: data } });
      },
      'dial.refused': ({ data }) =>
        settle(context, { callId: data.call_id, news: { kind: 'refused', reason: data.reason } }),
    },
  });
  amqp.consume({
    queue: 'campaigns.phone-numbers',
    handlers: {
      'phone-number.deleted': ({ data }) => campaigns.forgetNumber(data.phone_number_id, clock.now()),
    },
  });
}
