import type { MessageData, ToolExecution, Turn } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { Call } from '../../sessions/call.ts';
import { toEnded } from '../../sessions/call-messages.ts';
import type { Entry } from '../../sessions/ports.ts';

export type AnalyzedCall = {
  call: Call;
  edition: number;
  recordingSid: string | null;
  record: readonly Entry[];
  summary: string | null;
  data: Record<string, unknown> | null;
};

/** The data of `call.analyzed`: the complete call [calls.7]. */
export function toAnalyzed(
  { call, edition, recordingSid, record, summary, data }: AnalyzedCall,
  { recordingUrl, now }: { recordingUrl: string | null; now: Date },
): MessageData<'call.analyzed'> {
  return {
    ...toEnded(call, call.state),
    edition,
    call_sid: call.state.callSid,
    recording_url: recordingUrl,
    recording_sid: recordingSid,
    created_at: toIsoMillis(call.createdAt),
    updated_at: toIsoMillis(now),
    transcript: record.map(toTurn),
    summary,
    analysis_data: data,
    tools: toToolLog(record),
  };
}

function toTurn(entry: Entry): Turn {
  const timestamp = toIsoMillis(entry.at);
  if (entry.role !== 'tool') return { role: entry.role, content: entry.content, timestamp };
  const { toolName, args, outcome } = entry;
  return {
    role: 'tool',
    tool_name: toolName,
    query: JSON.stringify(args),
    status_code: outcome.statusCode,
    result: outcome.result,
    error: outcome.error,
    documents: outcome.documents && [...outcome.documents],
    timestamp,
  };
}

type LoggedTool = MessageData<'call.analyzed'>['tools'][number];

/** Up to this size results are both in the transcript and in `tools`, for consumers of older versions. */
const MAX_REPEATED_BYTES = 65_536;

function toToolLog(record: readonly Entry[]): LoggedTool[] {
  const tools = record.flatMap(toExecution);
  if (Buffer.byteLength(JSON.stringify(tools)) <= MAX_REPEATED_BYTES) return tools;
  return record.flatMap((entry, turn) =>
    toExecution(entry).map(({ result: _inTranscript, ...tool }) => ({ ...tool, turn, result: undefined })),
  );
}

function toExecution(entry: Entry): ToolExecution[] {
  if (entry.role !== 'tool') return [];
  const { toolName, toolType, description, args, outcome, at } = entry;
  return [
    {
      tool_name: toolName,
      tool_type: toolType,
      description,
      args,
      result: outcome.result,
      error: outcome.error,
      executed_at: toIsoMillis(at),
      slow: outcome.slow,
    },
  ];
}
