import { sql } from '@parley/kit/db';
import { insertDialRequests, type TracedRequest } from '../dialer/dial-requests.store.ts';
import { countExactly } from '../limits/live-calls.store.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { Tx } from '../prisma.ts';
import type { UnstartedCall } from './call-record.ts';

/** A call that waits to be dialed. */
export type QueuedCall = Omit<UnstartedCall, 'workspaceId'> & {
  number: PhoneNumber;
  toNumber: string;
  rateCents: number;
  /** Of its request: calls of several requests are written together. */
  traceparent: string | null;
};

export type QueuedCalls = ReturnType<typeof createQueuedCalls>;

export function createQueuedCalls() {
  return {
    countExactly,

    /** Writes calls as `queued` and adds them to the dialer's queue, in one statement: the workspace's other calls wait for it. */
    insert: async (tx: Tx, calls: readonly QueuedCall[]): Promise<void> => {
      if (calls.length === 0) return;
      await tx.$executeRaw(sql`
        WITH given AS MATERIALIZED (
          SELECT * FROM json_to_recordset(${JSON.stringify(calls.map(toRow))}::json) AS given (id uuid, workspace_id uuid,
            agent_id uuid, agent_version int, agent_webhook_url text, phone_number_id uuid, from_number text,
            to_number text, dynamic_variables jsonb, metadata jsonb, rate_cents int, created_at timestamptz,
            traceparent text)
        ), noted AS (
          INSERT INTO call_events (call_id, at, type) SELECT id, created_at, 'queued' FROM given
        ), requested AS (${insertDialRequests(calls.map(toDialRequest))})
        INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
          from_number, to_number, dynamic_variables, metadata, rate_cents, created_at, updated_at, traceparent)
        SELECT id, workspace_id, agent_id, agent_version, agent_webhook_url, 'outbound', phone_number_id, from_number,
          to_number, dynamic_variables, metadata, rate_cents, created_at, created_at, traceparent FROM given`);
    },
  };
}

function toRow({ number, agent, ...call }: QueuedCall) {
  return {
    id: call.id,
    workspace_id: number.workspaceId,
    agent_id: agent.agentId,
    agent_version: agent.version,
    agent_webhook_url: agent.webhookUrl,
    phone_number_id: number.id,
    from_number: number.phoneNumber,
    to_number: call.toNumber,
    dynamic_variables: call.dynamicVariables,
    metadata: call.metadata,
    rate_cents: call.rateCents,
    created_at: call.createdAt,
    traceparent: call.traceparent,
  };
}

function toDialRequest({
  id,
  number,
  agent,
  toNumber,
  dynamicVariables,
  createdAt,
  traceparent,
}: QueuedCall): TracedRequest {
  return {
    callId: id,
    workspaceId: number.workspaceId,
    phoneNumberId: number.id,
    agentId: agent.agentId,
    toNumber,
    dynamicVariables,
    requestedAt: createdAt,
    campaign: null,
    traceparent,
  };
}
