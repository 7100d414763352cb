import type { Message } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import { once } from '@parley/kit/inbox';
import type { Clock } from '@parley/kit/time';
import type { Transact } from '../ports.ts';
import type { WaitingDial } from './plan-grants.ts';

export type QueueDialDeps = {
  transact: Transact;
  clock: Clock;
  /** False: the attempt is known already. */
  addDialRequest(tx: Sql, request: WaitingDial): Promise<boolean>;
  wakeDialer(): void;
};

/**
 * A campaign's attempt goes into the dialer's queue. It is no live call before it is dialled, and however often it is
 * asked for, it is dialled once.
 */
export async function queueDial(
  { transact, clock, addDialRequest, wakeDialer }: QueueDialDeps,
  { id, workspace_id: workspaceId, data }: Message<'dial.requested'>,
): Promise<void> {
  await transact(async (tx) => {
    if (!(await once(tx, 'queue dial', id))) return;
    await addDialRequest(tx, {
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
  });
  wakeDialer();
}
