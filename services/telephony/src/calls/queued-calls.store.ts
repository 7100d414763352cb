import { sql } from '@parley/kit/db';
import { traceHeaders } from '@parley/kit/observability';
import type { DialRequest } from '../dialer/dial-request.ts';
import { insertDialRequests } from '../dialer/dial-requests.store.ts';
import { countExactly } from '../limits/live-calls.store.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { Tx } from '../prisma.ts';
import type { UnstartedCall } from './call-record.ts';

/** A call that waits to be dialed. */
export type QueuedCall = Omit<UnstartedCall, 'workspaceId'> & {
  number: PhoneNumber;
  toNumber: string;
  rateCents: number;
};

export type QueuedCalls = ReturnType<typeof createQueuedCalls>;

export function createQueuedCalls() {
  return {
    countExactly,

    /** Writes the call as `queued` and adds it to the dialer's queue, in one statement: the workspace's other calls wait for it. */
    insert: async (tx: Tx, call: QueuedCall): Promise<void> => {
      const { id, number, agent, createdAt } = call;
      await tx.$executeRaw(sql`
        WITH noted AS (
          INSERT INTO call_events (call_id, at, type) VALUES (${id}::uuid, ${createdAt}::timestamptz, 'queued')
        ), requested AS (${insertDialRequests([toDialRequest(call)])})
        INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
          from_number, to_number, dynamic_variables, metadata, rate_cents, created_at, updated_at, traceparent)
        VALUES (${id}::uuid, ${number.workspaceId}::uuid, ${agent.agentId}::uuid, ${agent.version}, ${agent.webhookUrl},
          'outbound', ${number.id}::uuid, ${number.phoneNumber}, ${call.toNumber},
          ${JSON.stringify(call.dynamicVariables)}::jsonb, ${JSON.stringify(call.metadata)}::jsonb, ${call.rateCents},
          ${createdAt}::timestamptz, ${createdAt}::timestamptz, ${traceHeaders().traceparent ?? null})`);
    },
  };
}

function toDialRequest({
  id,
  number,
  agent,
  toNumber,
  dynamicVariables,
  createdAt,
}: QueuedCall): DialRequest {
  return {
    callId: id,
    workspaceId: number.workspaceId,
    phoneNumberId: number.id,
    agentId: agent.agentId,
    toNumber,
    dynamicVariables,
    requestedAt: createdAt,
    campaign: null,
  };
}
