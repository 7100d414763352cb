import { randomUUID } from 'node:crypto';
import type { CallType, DisconnectionReason } from '@parley/contracts';
import { sql } from '@parley/kit/db';
import type { SqlClient } from '@parley/testkit';

export const ZERO = '00000000-0000-0000-0000-000000000000';

/** A completed call, as far as analytics count it. */
export type RawCall = {
  id: string;
  createdMs: number;
  agent: string;
  number: string | null;
  campaign: string | null;
  type: CallType;
  reason: DisconnectionReason;
  isAnswered: boolean;
  messageLeft: boolean;
  duration: number;
  cost: number;
  /** Latencies of its spoken answers in milliseconds. */
  latencies: number[];
};

export function newCall(fields: Partial<RawCall> & { createdMs: number }): RawCall {
  return {
    id: randomUUID(),
    agent: ZERO,
    number: null,
    campaign: null,
    type: 'outbound',
    reason: 'user_hangup',
    isAnswered: true,
    messageLeft: false,
    duration: 60,
    cost: 10,
    latencies: [],
    ...fields,
  };
}

/** Stores completed calls with their turns. */
export async function addCalls(
  client: SqlClient,
  workspaceId: string,
  calls: readonly RawCall[],
): Promise<void> {
  const json = JSON.stringify(
    calls.map(({ createdMs, isAnswered, ...call }) => {
      const created = new Date(createdMs).toISOString();
      return { ...call, created, answered: isAnswered ? created : null };
    }),
  );
  await client.$executeRaw(sql`
    WITH given AS (
      SELECT * FROM json_to_recordset(${json}::json) AS g (id uuid, created timestamptz, answered timestamptz, agent uuid, number uuid,
        campaign uuid, type text, reason text, "messageLeft" boolean, duration int, cost int, latencies json)
    ), added AS (
      INSERT INTO calls (id, workspace_id, agent_id, call_type, phone_number_id, campaign_id, status, phase, rate_cents, started_at,
        answered_at, ended_at, duration, cost, disconnection_reason, voicemail_message_left, created_at, updated_at)
      SELECT id, ${workspaceId}::uuid, agent, type, number, campaign, 'completed', 'ended', 10, created, answered,
        created + interval '1 minute', duration, cost, reason, "messageLeft", created, created
      FROM given RETURNING id
    )
    INSERT INTO turns (call_id, seq, role, content, latency, at)
    SELECT given.id, latency.n, 'agent', 'Hello', json_build_object('end_of_turn_ms', 1, 'first_token_ms', 2,
      'first_audio_ms', latency.ms::text::int), created
    FROM given JOIN added USING (id) CROSS JOIN LATERAL json_array_elements(given.latencies) WITH ORDINALITY AS latency (ms, n)`);
}
