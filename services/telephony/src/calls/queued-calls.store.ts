import { type SqlClient, sql } from '@parley/kit/db';
import { traceHeaders } from '@parley/kit/observability';
import { addDialRequests } from '../dialer/dial-requests.store.ts';
import { countLiveCalls, lockWorkspaceCalls } from '../limits/live-calls.store.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { Tx } from '../prisma.ts';
import type { UnstartedCall } from './call-record.ts';

/** A call that waits to be dialled. */
export type QueuedCall = Omit<UnstartedCall, 'workspaceId'> & {
  number: PhoneNumber;
  toNumber: string;
  rateCents: number;
};

export type QueuedCalls = ReturnType<typeof createQueuedCalls>;

export function createQueuedCalls() {
  return {
    /** Serializes transactions that add calls to the workspace, and counts its live calls [general.19]. */
    countExactly: async (tx: Tx, workspaceId: string): Promise<number> => {
      await lockWorkspaceCalls(tx, workspaceId);
      return (await countLiveCalls(tx, [workspaceId])).get(workspaceId) ?? 0;
    },

    /** Writes the call as `queued` and adds it to the dialer's queue. */
    insert: async (tx: Tx, call: QueuedCall): Promise<void> => {
      await insertCall(tx, call);
      const { id: callId, agent, toNumber, dynamicVariables, createdAt: requestedAt } = call;
      const { workspaceId, id: phoneNumberId } = call.number;
      const request = {
        callId,
        workspaceId,
        phoneNumberId,
        agentId: agent.agentId,
        toNumber,
        dynamicVariables,
      };
      await addDialRequests(tx, [{ ...request, requestedAt, campaign: null }]);
    },
  };
}

/** One statement: the workspace's other calls wait for it. */
async function insertCall(tx: SqlClient, call: QueuedCall): Promise<void> {
  const { id, number, agent, createdAt } = call;
  await tx.$executeRaw(sql`
    WITH noted AS (INSERT INTO call_events (call_id, at, type) VALUES (${id}::uuid, ${createdAt}::timestamptz, 'queued'))
    INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
      from_number, to_number, dynamic_variables, metadata, rate_cents, created_at, updated_at, traceparent)
    VALUES (${id}::uuid, ${number.workspaceId}::uuid, ${agent.agentId}::uuid, ${agent.version}, ${agent.webhookUrl}, 'outbound',
      ${number.id}::uuid, ${number.phoneNumber}, ${call.toNumber}, ${JSON.stringify(call.dynamicVariables)}::jsonb,
      ${JSON.stringify(call.metadata)}::jsonb, ${call.rateCents}, ${createdAt}::timestamptz, ${createdAt}::timestamptz,
      ${traceHeaders().traceparent ?? null})`);
}
