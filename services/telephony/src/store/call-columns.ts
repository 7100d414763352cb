/** Columns of `calls c`, with the assistant and the number as they are now. */
export const HEAD_COLUMNS = `c.id, c.workspace_id, c.agent_id, a.agent_name, c.call_type, c.from_number, c.to_number,
  c.status, c.duration, c.cost, c.started_at, c.answered_at, c.ended_at, c.disconnection_reason, c.created_at,
  c.updated_at`;

export const RECORD_COLUMNS = `${HEAD_COLUMNS}, n.id AS phone_number_id, n.phone_number, n.nickname, c.call_sid,
  c.recording_key, c.recording_sid, c.summary, c.transcript, c.enhanced_transcript, c.transcript_json,
  c.transcript_fix_count, c.analysis_data, c.dynamic_variables, c.metadata, c.campaign_id, c.unresolved_placeholders`;

export const LEGACY_COLUMNS = `c.id, c.call_sid, c.call_type, c.from_number, c.to_number, c.status, c.duration,
  c.disconnection_reason, c.started_at, c.ended_at, c.created_at, c.agent_id, n.id AS phone_number_id, c.summary,
  c.analysis_data`;

export const AGENT_JOIN =
  'LEFT JOIN agents a ON a.agent_id = c.agent_id AND a.workspace_id = c.workspace_id AND NOT a.deleted';

export const NUMBER_JOIN =
  'LEFT JOIN phone_numbers n ON n.id = c.phone_number_id AND n.workspace_id = c.workspace_id';
