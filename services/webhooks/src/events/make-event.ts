import type { Message, WebhookEvent } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import { traceHeaders } from '@parley/kit/observability';
import { callAnalyzedPayload, callEndedPayload, callStartedPayload } from './payloads.ts';

export type CallMessage = Message<'call.started' | 'call.ended' | 'call.analyzed'>;

/** An event before it is stored. Its bytes are fixed here and are the same on every attempt and resend. */
export type NewEvent = {
  id: string;
  workspaceId: string;
  callId: string;
  agentId: string;
  event: WebhookEvent;
  edition: number;
  /** The order within the call. */
  position: number;
  body: string;
  /** Until then it waits for earlier events; null if there are none [webhooks.13]. */
  holdUntil: Date | null;
  /** Positions of the earlier events that must be finished first. */
  waitsFor: number[];
  /** The trace of its attempts: the one in which its message is handled. Null without tracing. */
  traceparent: string | null;
};

const HOLD_MS = 30 * 60_000;

/** The event of a call's message, in the envelope of [webhooks.1]. */
export function makeEvent(message: CallMessage): NewEvent {
  const { data, workspace_id: workspaceId, occurred_at: timestamp } = message;
  const { event, position, payload, endedAt, edition } = describe(message);
  const answered = message.type === 'call.started' || message.data.answered_at !== null;
  const body = { event, call_id: data.call_id, agent_id: data.agent.agent_id, timestamp, payload };
  return {
    id: newId(),
    workspaceId,
    callId: data.call_id,
    agentId: data.agent.agent_id,
    event,
    edition,
    position,
    body: JSON.stringify(body),
    holdUntil: endedAt ? new Date(endedAt.getTime() + HOLD_MS) : null,
    // A call that was never answered has no call_started.
    waitsFor: [1, 2].filter((earlier) => earlier < position && (earlier > 1 || answered)),
    traceparent: traceHeaders().traceparent ?? null,
  };
}

type Description = {
  event: WebhookEvent;
  position: number;
  payload: object;
  endedAt: Date | null;
  edition: number;
};

function describe(message: CallMessage): Description {
  if (message.type === 'call.started') {
    const payload = callStartedPayload(message.data);
    return { event: 'call_started', position: 1, payload, endedAt: null, edition: 1 };
  }
  const endedAt = new Date(message.data.ended_at);
  if (message.type === 'call.ended') {
    return { event: 'call_ended', position: 2, payload: callEndedPayload(message.data), endedAt, edition: 1 };
  }
  const payload = callAnalyzedPayload(message.data, message.workspace_id);
  return { event: 'call_analyzed', position: 3, payload, endedAt, edition: message.data.edition };
}
