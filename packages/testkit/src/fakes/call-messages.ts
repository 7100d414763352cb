import { randomUUID } from 'node:crypto';
import type { MessageData } from '@parley/contracts';

/** The messages that telephony publishes about a call of an assistant with this URL. */
export function fakeCall(url: string | null, now: Date, agentId: string = randomUUID()) {
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
  const facts = {
    call_id: randomUUID(),
    call_type: 'outbound' as const,
    from_number: '+14155550100',
    to_number: '+14155550199',
    dynamic_variables: { first_name: 'Ada' },
    agent: { agent_id: agentId, version: 1, webhook_url: url },
    campaign: null,
  };
  const started: MessageData<'call.started'> = { ...facts, started_at: at(-20), answered_at: at(-15) };
  const ended: MessageData<'call.ended'> = {
    ...started,
    ended_at: at(0),
    duration: 15,
    cost: 3,
    disconnection_reason: 'user_hangup',
    retryable: false,
    voicemail_message_left: false,
  };
  const spoken = { role: 'user' as const, content: 'Hello', timestamp: at(-10) };
  const tool = {
    role: 'tool' as const,
    tool_name: 'book',
    query: '{"day":"Monday"}',
    status_code: 200,
    result: { ok: true },
    error: null,
    documents: null,
    timestamp: at(-8),
  };
  const analyzed: MessageData<'call.analyzed'> = {
    ...ended,
    edition: 1,
    call_sid: 'room-1',
    recording_url: null,
    recording_sid: null,
    created_at: at(-21),
    updated_at: at(1),
    transcript: [spoken, tool],
    summary: 'They talked.',
    analysis_data: { interested: true },
    tools: [
      {
        tool_name: 'book',
        tool_type: 'custom',
        description: null,
        args: { day: 'Monday' },
        result: { ok: true },
        error: null,
        executed_at: at(-8),
        slow: false,
      },
    ],
  };
  return { started, ended, analyzed, callId: facts.call_id, agentId };
}
