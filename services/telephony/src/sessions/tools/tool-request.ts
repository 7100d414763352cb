import type { CallType, PlatformHeaders, SnapshotTool } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import { type SpokenTurn, toPlainTranscript } from '../../calls/plain-transcript.ts';

/** An invocation of a custom tool. `id` is its `tool_call_id`. */
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
    isTest?: boolean | undefined;
  };
  /** The conversation so far. */
  spoken: readonly SpokenTurn[];
};

export type ToolRequest = { url: string; headers: PlatformHeaders; body: string | null };

/** Defaults that a tool's own headers override. */
export const TOOL_HEADER_DEFAULTS = {
  GET: { 'user-agent': 'Parley-Webhooks/1' },
  POST: { 'user-agent': 'Parley-Webhooks/1', 'content-type': 'application/json' },
} as const;

/** The request to a custom tool's endpoint, before it is signed [tools.17] [tools.18]. */
export function buildToolRequest(invocation: CustomInvocation): ToolRequest {
  const { tool, args, call, id } = invocation;
  if (tool.http_method === 'POST') {
    return { url: tool.endpoint_url, headers: marksOf(call), body: JSON.stringify(toEnvelope(invocation)) };
  }
  const ids = { 'x-call-id': call.id, 'x-agent-id': call.agentId, 'x-tool-call-id': id };
  const headers = { ...ids, ...marksOf(call) };
  return { url: withQuery(tool.endpoint_url, args), headers, body: null };
}

/** Tools may leave out their effects in a test [dashboard.12]. */
function marksOf({ isTest }: CustomInvocation['call']): PlatformHeaders {
  return isTest ? { 'x-test-call': 'true' } : {};
}

function toEnvelope({ id, at, tool, args, call, spoken }: CustomInvocation) {
  return {
    event: 'tool_invoked',
    ...(call.isTest ? { test: true } : {}),
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

/** The human's number; null for web calls [web-calls.3]. */
function customerNumber({ callType, fromNumber, toNumber }: CustomInvocation['call']): string | null {
  return callType === 'inbound' ? fromNumber : toNumber;
}

/** Arrays repeat the name, objects are JSON, and existing query parameters stay [tools.18]. */
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
