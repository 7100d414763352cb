import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';

/** A page of maximum size of one workspace; its texts have three bytes per character. */

export type Page = { workspaceId: string; method: 'GET' | 'POST'; path: string; body?: object };

export async function assistantPages(sql: SqlClient): Promise<{ assistants: Page; tools: Page }> {
  const workspaceId = randomUUID();
  await sql.$executeRaw`
  INSERT INTO assistants (id, workspace_id, agent_name, agent_type, config, version, created_at, updated_at)
  SELECT gen_random_uuid(), ${workspaceId}::uuid, 'Ada ' || n, 'Single Prompt',
    json_build_object('systemPrompt', repeat('€', 85000), 'voice', json_build_object('voiceId', 'aria', 'speed', 1)),
    1, now(), now() - n * interval '1 minute'
  FROM generate_series(1, 100) n`;
  const [tool] = await sql.$queryRaw<{ id: string }[]>`
  INSERT INTO tools (id, workspace_id, agent_id, tool_name, description, is_native, endpoint_url, http_method, headers,
    header_names, parameters, timeout_seconds, created_at, updated_at)
  SELECT gen_random_uuid(), workspace_id, id, 'tool_' || n, repeat('€', 10000), false, 'https://example.com/tool', 'POST', NULL,
    '{}', json_build_object('type', 'object', 'description', repeat('x', 32000)), 10, now(), now() - n * interval '1 minute'
  FROM (SELECT id, workspace_id FROM assistants WHERE workspace_id = ${workspaceId}::uuid LIMIT 1) a, generate_series(1, 100) n
  RETURNING agent_id::text AS id`;
  const list = { workspaceId, method: 'POST' } as const;
  return {
    assistants: { ...list, path: '/v1/assistant/list', body: { size: 100 } },
    tools: { ...list, path: '/v1/tool/list', body: { size: 100, agent_id: tool?.id } },
  };
}

/** The service must have created today's partition. */
export async function callWebhooksPage(sql: SqlClient): Promise<Page> {
  const [workspaceId, callId] = [randomUUID(), randomUUID()];
  await sql.$executeRaw`
  INSERT INTO events (id, workspace_id, call_id, agent_id, event, edition, position, body, status, blocked, ready, created_at)
  SELECT gen_random_uuid(), ${workspaceId}::uuid, ${callId}::uuid, ${workspaceId}::uuid, event, 1, position, repeat('€', length), 'delivered', false, false, now()
  FROM (VALUES ('call_started', 1, 500), ('call_ended', 2, 500), ('call_analyzed', 3, 350000)) AS e (event, position, length)`;
  await sql.$executeRaw`
  INSERT INTO attempts (event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status, request_headers,
    response_headers, response_body)
  SELECT id, workspace_id, 1 + n / 12, 1 + n % 12, 'https://example.com/hook', now(), 5, 'http_error', 500, '{}', '{}',
    repeat('y', 65536)
  FROM events, generate_series(0, 59) n WHERE call_id = ${callId}::uuid`;
  return { workspaceId, method: 'GET', path: `/v2/call/${callId}/webhooks` };
}
