import type { CallType, PlatformHeaders, SnapshotTool } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import { type SpokenTurn, toPlainTranscript } from '../call-history/plain-transcript.ts';

/** A custom tool that is to be asked. `id` is its `tool_call_id`. */
export type CustomInvocation = {
  id: string;
  at: Date;
  tool: SnapshotTool;
  args: Record<string, unknown>;
  call: {
    id: string;
    agentId: string;
    callType: CallType;
    fromNumber: string | null;
    toNumber: string | null;
    dynamicVariables: Record<string, unknown>;
  };
  /** What was said before. */
  spoken: readonly SpokenTurn[];
};

export type ToolRequest = { url: string; headers: PlatformHeaders; body: string | null };

/** What a tool's own headers may replace. */
export const TOOL_HEADER_DEFAULTS = {
  GET: { 'user-agent': 'Parley-Webhooks/1' },
  POST: { 'user-agent': 'Parley-Webhooks/1', 'content-type': 'application/json' },
} as const;

/** What a custom tool's endpoint is sent (spec: tool_invoked payload; D4.6). Signing comes on top. */
export function buildToolRequest(invocation: CustomInvocation): ToolRequest {
  const { tool, args, call, id } = invocation;
  if (tool.http_method === 'POST') {
    return { url: tool.endpoint_url, headers: {}, body: JSON.stringify(toEnvelope(invocation)) };
  }
  const headers = { 'x-call-id': call.id, 'x-agent-id': call.agentId, 'x-tool-call-id': id };
  return { url: withQuery(tool.endpoint_url, args), headers, body: null };
}

function toEnvelope({ id, at, tool, args, call, spoken }: CustomInvocation) {
  return {
    event: 'tool_invoked',
    call_id: call.id,
    agent_id: call.agentId,
    timestamp: toIsoMillis(at),
    payload: {
      tool_name: tool.tool_name,
      tool_call_id: id,
      args,
      call: {
        call_type: call.callType,
        customer_number: customerNumber(call),
        dynamic_variables: call.dynamicVariables,
        transcript: toPlainTranscript(spoken),
        transcript_object: spoken,
      },
    },
  };
}

/** The number of the human: null for web calls, which have none (D6.2). */
function customerNumber({ callType, fromNumber, toNumber }: CustomInvocation['call']): string | null {
  return callType === 'inbound' ? fromNumber : toNumber;
}

/** Arrays repeat the name, objects go as JSON; what the URL carries already stays (D4.6). */
function withQuery(endpointUrl: string, args: Record<string, unknown>): string {
  const url = new URL(endpointUrl);
  for (const [name, value] of Object.entries(args)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && item !== undefined) url.searchParams.append(name, asText(item));
    }
  }
  return url.href;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
