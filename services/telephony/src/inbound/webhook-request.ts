import { toIsoMillis } from '@parley/kit/time';
import type { Call } from '../sessions/call.ts';

/** The body of an inbound webhook [calls.15]. `agentId`: the assistant that answers by default. */
export function webhookBody(call: Call, agentId: string | null, at: Date): string {
  return JSON.stringify({
    event: 'call_inbound',
    call_id: call.id,
    agent_id: agentId,
    timestamp: toIsoMillis(at),
    payload: {
      from_number: call.fromNumber,
      to_number: call.toNumber,
      phone_number_id: call.phoneNumberId,
    },
  });
}
