import type { Message } from '@parley/contracts';
import { isMask } from '@parley/kit/removal';
import type { Clock } from '@parley/kit/time';
import type { DialRequest } from './dial-request.ts';

export type QueueDialDeps = {
  clock: Clock;
  /** A known attempt stays as it is. */
  addDialRequest(request: DialRequest): Promise<void>;
  wakeDialer(): void;
  /** Publishes `dial.refused`, as for a number that must not be called. */
  refuseDial(message: Message<'dial.requested'>): Promise<void>;
};

/**
 * Adds a campaign's attempt to the dialer's queue. It is not a live call before it is dialed, and it is dialed once however
 * often it is requested: its row stays and makes repeated messages harmless.
 */
export async function queueDial(
  { clock, addDialRequest, wakeDialer, refuseDial }: QueueDialDeps,
  message: Message<'dial.requested'>,
): Promise<void> {
  const { workspace_id: workspaceId, data } = message;
  // The person was erased while the message waited.
  if (isMask(data.to_number)) return refuseDial(message);
  await addDialRequest({
    callId: data.call_id,
    workspaceId,
    phoneNumberId: data.phone_number_id,
    agentId: data.agent_id,
    toNumber: data.to_number,
    dynamicVariables: data.dynamic_variables,
    requestedAt: clock.now(),
    campaign: {
      campaignId: data.campaign_id,
      contactId: data.contact_id,
      generation: data.generation,
      notAfter: data.not_after ? new Date(data.not_after) : null,
    },
  });
  wakeDialer();
}
