import type { Amqp } from '@parley/kit/amqp';
import type { CampaignStore } from '../campaigns/campaigns.store.ts';
import { type ApplyDeps, applyUpdate } from './apply-update.ts';

/** Unacknowledged messages are applied together. */
const PREFETCH = 100;

type Deps = ApplyDeps & { amqp: Amqp; campaigns: Pick<CampaignStore, 'forgetNumber'> };

/** Without an inbox: an attempt only moves forward, so a repeated message has no effect. */
export function startConsumers(deps: Deps): void {
  const { amqp, campaigns, clock } = deps;
  amqp.consume({
    queue: 'campaigns.calls',
    prefetch: PREFETCH,
    handlers: {
      'call.dialing': ({ data }) => applyUpdate(deps, data.call_id, { kind: 'dialing' }),
      'call.started': async ({ data }) => {
        if (data.campaign) await applyUpdate(deps, data.call_id, { kind: 'started' });
      },
      'call.ended': async ({ data }) => {
        if (data.campaign) await applyUpdate(deps, data.call_id, { kind: 'ended', ended: data });
      },
      'dial.refused': ({ data }) => applyUpdate(deps, data.call_id, { kind: 'refused', reason: data.reason }),
    },
  });
  amqp.consume({
    queue: 'campaigns.phone-numbers',
    handlers: {
      'phone-number.deleted': ({ data }) => campaigns.forgetNumber(data.phone_number_id, clock.now()),
    },
  });
}
