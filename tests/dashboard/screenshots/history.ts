import type { Platform } from '@parley/testkit/stage';

/** Calls of the last 30 days, fewer at weekends, so that the figures of a picture have a past. */
export async function addHistory(platform: Platform, workspaceId: string): Promise<void> {
  await platform.query(
    'telephony',
    `INSERT INTO calls (id, workspace_id, agent_id, call_type, phone_number_id, from_number, to_number, status, phase,
       rate_cents, dynamic_variables, started_at, answered_at, ended_at, duration, cost, disconnection_reason,
       transcript, transcript_json, created_at, updated_at)
     SELECT gen_random_uuid(), $1::uuid, md5('agent')::uuid, 'outbound', md5('number')::uuid, '+12125550150',
       '+1212555' || lpad((n % 100)::text, 4, '01'), 'completed', 'ended', 10, '{}', at,
       CASE WHEN seconds > 0 THEN at END, at + seconds * interval '1 s', seconds, (seconds * 10 + 59) / 60,
       CASE WHEN seconds = 0 THEN (ARRAY['dial_no_answer', 'dial_no_answer', 'dial_busy'])[1 + n % 3]
         WHEN n % 11 = 0 THEN 'voicemail' WHEN n % 5 = 0 THEN 'agent_hangup' ELSE 'user_hangup' END,
       '', '{"conversation": []}', at, at
     FROM generate_series(1, 30) day,
       generate_series(1, CASE WHEN extract(isodow FROM now() - day * interval '1 day') > 5 THEN 9 ELSE 38 END
         + (abs(hashint4(day)::bigint) % 17)::int) n,
       LATERAL (SELECT date_trunc('day', now()) - day * interval '1 day'
           + (8 * 3600 + abs(hashint4(n * 97 + day)::bigint) % 36000) * interval '1 s' AS at,
         CASE WHEN abs(hashint4(n * 31 + day)::bigint) % 100 < 22 THEN 0
           ELSE 20 + abs(hashint4(n * 13 + day)::bigint) % 160 END AS seconds) drawn`,
    workspaceId,
  );
}
