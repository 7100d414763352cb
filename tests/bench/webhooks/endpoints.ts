import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';
import type { EndpointBehavior } from './receivers.ts';

export type Endpoint = { agentId: string; workspaceId: string };

/** Adds an assistant for each port, spread over the workspaces; `behaviorOf` selects the behavior of its endpoint. */
export async function addEndpoints(
  sql: SqlClient,
  ports: readonly number[],
  { workspaces, behaviorOf }: { workspaces: number; behaviorOf: (index: number) => EndpointBehavior },
): Promise<Endpoint[]> {
  const workspaceIds = Array.from({ length: workspaces }, () => randomUUID());
  const endpoints = ports.map((port, index) => ({
    agentId: randomUUID(),
    workspaceId: workspaceIds[index % workspaces] as string,
    url: `http://127.0.0.1:${port}/${behaviorOf(index)}`,
  }));
  await sql.$executeRaw`INSERT INTO endpoints (agent_id, workspace_id, version, url)
     SELECT agent_id, workspace_id, 1, url FROM unnest(${endpoints.map(({ agentId }) => agentId)}::uuid[], ${endpoints.map(({ workspaceId }) => workspaceId)}::uuid[], ${endpoints.map(({ url }) => url)}::text[]) AS e (agent_id, workspace_id, url)`;
  return endpoints;
}

/** A body of the size of a typical `call_ended`. */
const BODY = JSON.stringify({
  event: 'call_ended',
  call_id: randomUUID(),
  agent_id: randomUUID(),
  timestamp: new Date().toISOString(),
  payload: {
    status: 'completed',
    call_type: 'outbound',
    from_number: '+14155550100',
    to_number: '+14155550199',
    start_time: new Date().toISOString(),
    end_time: new Date().toISOString(),
    duration: 42,
    cost: 7,
    disconnection_reason: 'user_hangup',
    dynamic_variables: { first_name: 'Ada', company: 'Analytical Engines' },
  },
});

/** Inserts a due event of a new call for each endpoint, as the consumer would. */
export async function addEvents(sql: SqlClient, of: readonly Endpoint[]): Promise<void> {
  await sql.$executeRaw`INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, blocked, next_attempt_at, ready, created_at)
     SELECT gen_random_uuid(), workspace_id, gen_random_uuid(), agent_id, 'call_ended', 2, ${BODY}, false, ${new Date()}::timestamptz, true,
       ${new Date()}::timestamptz
     FROM unnest(${of.map(({ agentId }) => agentId)}::uuid[], ${of.map(({ workspaceId }) => workspaceId)}::uuid[]) AS e (agent_id, workspace_id)`;
}
