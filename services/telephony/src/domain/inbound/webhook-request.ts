import { toIsoMillis } from '@parley/kit/time';
import type { Call } from '../calls/call.ts';
import { NO_AGENT } from './nobody.ts';

/** What an inbound webhook is sent (D6.11). `agentId`: who answers if it says nothing. */
export function webhookBody(call: Call, agentId: string | null, at: Date): string {
  return JSON.stringify({
    event: 'call_inbound',
    call_id: call.id,
    agent_id: agentId === NO_AGENT ? null : agentId,
    timestamp: toIsoMillis(at),
    payload: {
      from_number: call.fromNumber,
      to_number: call.toNumber,
      phone_number_id: call.phoneNumberId,
    },
  });
}
