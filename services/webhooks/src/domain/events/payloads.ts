import type { DisconnectionReason, MessageData, ToolExecution, Turn } from '@parley/contracts';

/** `dial_no_answer` reads `no_answer` in payloads; the other stored reasons go out as they are (D6.4). */
function reasonOf(reason: DisconnectionReason): string {
  return reason === 'dial_no_answer' ? 'no_answer' : reason;
}

/** spec: call_started payload. */
export function callStartedPayload(call: MessageData<'call.started'>) {
  return {
    status: 'started',
    start_time: call.started_at,
    call_type: call.call_type,
    from_number: call.from_number,
    to_number: call.to_number,
    dynamic_variables: call.dynamic_variables,
  };
}

/** spec: call_ended payload. */
export function callEndedPayload(call: MessageData<'call.ended'>) {
  return {
    status: 'completed',
    call_type: call.call_type,
    from_number: call.from_number,
    to_number: call.to_number,
    start_time: call.started_at,
    end_time: call.ended_at,
    duration: call.duration,
    cost: call.cost,
    disconnection_reason: reasonOf(call.disconnection_reason),
    dynamic_variables: call.dynamic_variables,
  };
}

/** spec: call_analyzed payload. */
export function callAnalyzedPayload(call: MessageData<'call.analyzed'>, workspaceId: string) {
  const transcript = call.transcript.map(toTurn);
  return {
    status: 'analyzed',
    data: {
      id: call.call_id,
      workspace_id: workspaceId,
      agent_id: call.agent.agent_id,
      call_type: call.call_type,
      from_number: call.from_number,
      to_number: call.to_number,
      status: 'completed',
      duration: call.duration,
      started_at: call.started_at,
      ended_at: call.ended_at,
      disconnection_reason: reasonOf(call.disconnection_reason),
      recording_url: call.recording_url,
      recording_sid: call.recording_sid,
      call_sid: call.call_sid,
      cost: call.cost,
      created_at: call.created_at,
      updated_at: call.updated_at,
      transcript,
      transcript_clean: transcript.filter(({ role }) => role !== 'tool'),
      summary: call.summary,
      analysis_data: call.analysis_data,
      dynamic_variables: call.dynamic_variables,
      tools: call.tools.map(toExecution),
    },
  };
}

/** Every field is there, also where a tool answered nothing: JSON leaves out what is undefined. */
function toTurn(turn: Turn) {
  if (turn.role !== 'tool') return { role: turn.role, content: turn.content, timestamp: turn.timestamp };
  const { role, tool_name, query, status_code, result = null, error, documents, timestamp } = turn;
  return { role, tool_name, query, status_code, result, error, documents, timestamp };
}

/** `slow`: the mark of D4.5, beside what the specification names. */
function toExecution(execution: ToolExecution) {
  const {
    tool_name,
    tool_type,
    description,
    args = null,
    result = null,
    error,
    executed_at,
    slow,
  } = execution;
  return { tool_name, tool_type, description, args, result, error, executed_at, slow };
}
