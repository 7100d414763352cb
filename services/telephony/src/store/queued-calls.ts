import { traceHeaders } from '@parley/kit/observability';
import type { QueuedCalls } from '../domain/placing/ports.ts';
import { addDialRequests } from './dial-requests.ts';
import { countLiveCalls, lockWorkspaceCalls } from './live-calls.ts';

/** One statement: the workspace's other callers wait for it. */
const INSERT = `
  WITH told AS (INSERT INTO call_events (call_id, at, type) VALUES ($1::uuid, $12::timestamptz, 'queued'))
  INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
    from_number, to_number, dynamic_variables, metadata, rate_cents, created_at, updated_at, traceparent)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, 'outbound', $6::uuid, $7, $8, $9::jsonb, $10::jsonb, $11,
    $12::timestamptz, $12::timestamptz, $13)`;

export function createQueuedCalls(): QueuedCalls {
  return {
    countExactly: async (tx, workspaceId) => {
      await lockWorkspaceCalls(tx, workspaceId);
      return (await countLiveCalls(tx, [workspaceId])).get(workspaceId) ?? 0;
    },
    insert: async (tx, { id, number, agent, toNumber, dynamicVariables, ...call }) => {
      const { workspaceId, id: phoneNumberId } = number;
      await tx.$executeRawUnsafe(
        INSERT,
        id,
        workspaceId,
        agent.agentId,
        agent.version,
        agent.webhookUrl,
        phoneNumberId,
        number.phoneNumber,
        toNumber,
        JSON.stringify(dynamicVariables),
        JSON.stringify(call.metadata),
        call.rateCents,
        call.createdAt.toISOString(),
        traceHeaders().traceparent ?? null,
      );
      const request = {
        callId: id,
        workspaceId,
        phoneNumberId,
        agentId: agent.agentId,
        toNumber,
        dynamicVariables,
        requestedAt: call.createdAt,
        campaign: null,
      };
      await addDialRequests(tx, [request]);
    },
  };
}
