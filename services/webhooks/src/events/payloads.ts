import type { DisconnectionReason, MessageData, ToolExecution, Turn } from '@parley/contracts';

/** `dial_no_answer` is sent as `no_answer`; the other reasons are sent as stored [calls.6]. */
function reasonOf(reason: DisconnectionReason): string {
  return reason === 'dial_no_answer' ? 'no_answer' : reason;
}

/** [webhooks.2] */
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

/** [webhooks.3] */
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

/** [webhooks.4] */
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
      tools: call.tools.map((tool) => toExecution(withResult(tool, call.transcript))),
    },
  };
}

/** [webhooks.5] Defaults to null where a tool returned nothing: JSON drops undefined fields. */
function toTurn(turn: Turn) {
  if (turn.role !== 'tool') return { role: turn.role, content: turn.content, timestamp: turn.timestamp };
  const { role, tool_name, query, status_code, result = null, error, documents, timestamp } = turn;
  return { role, tool_name, query, status_code, result, error, documents, timestamp };
}

type LoggedTool = MessageData<'call.analyzed'>['tools'][number];

/** Messages carry each result once, in the turn of its tool. */
function withResult({ turn, ...tool }: LoggedTool, transcript: readonly Turn[]): ToolExecution {
  const used = turn === undefined ? undefined : transcript[turn];
  return { ...tool, result: used?.role === 'tool' ? used.result : tool.result };
}

/** [webhooks.4], and `slow` [tools.16]. */
function toExecution(execution: ToolExecution) {
  const { tool_name, tool_type, description, args = null, result = null } = execution;
  const { error, executed_at, slow } = execution;
  return { tool_name, tool_type, description, args, result, error, executed_at, slow };
}
