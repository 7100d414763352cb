import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type MessageData, messageTypes, sentEvents } from '@parley/contracts';
import { fakeCall } from '@parley/testkit/fakes';
import { type CallMessage, makeEvent } from './make-event.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const AT = NOW.toISOString();
const workspace = randomUUID();

type FakeCall = ReturnType<typeof fakeCall>;

/** The event as its receiver reads it: from the bytes that are sent. */
function sent<T extends 'started' | 'ended' | 'analyzed'>(type: T, data: FakeCall[T]) {
  const envelope = { id: randomUUID(), occurred_at: AT, workspace_id: workspace };
  const body = JSON.parse(makeEvent({ ...envelope, type: `call.${type}`, data } as CallMessage).body);
  // The documented fields must match exactly.
  const documented = sentEvents.find(({ name }) => name === `call_${type}`)?.body;
  expect(documented?.parse(body)).toEqual(body);
  return body;
}

const numbers = { from_number: '+14155550100', to_number: '+14155550199' };
const noNumbers = { from_number: null, to_number: null };
const web = { call_type: 'web', ...noNumbers } as const;
const inbound = { call_type: 'inbound', ...numbers } as const;
const outbound = { call_type: 'outbound', ...numbers } as const;
const kinds = [outbound, inbound, web];

/** The fields of an unanswered call. */
const unanswered = { answered_at: null, duration: 0, cost: 0 };
const unheard = {
  transcript: [],
  tools: [],
  summary: null,
  analysis_data: null,
  recording_url: null,
  recording_sid: null,
};

describe('envelope of lifecycle events: event, call_id, agent_id, timestamp, payload, and nothing else', () => {
  it.each(['started', 'ended', 'analyzed'] as const)('call_%s', (type) => {
    const call = fakeCall(null, NOW);
    expect(sent(type, call[type])).toEqual({
      event: `call_${type}`,
      call_id: call.callId,
      agent_id: call.agentId,
      timestamp: AT,
      payload: expect.any(Object),
    });
  });
});

describe('call_started payload', () => {
  it.each(kinds)('of an $call_type call has these fields and no others', (kind) => {
    const { started } = fakeCall(null, NOW);
    expect(sent('started', { ...started, ...kind }).payload).toStrictEqual({
      status: 'started',
      start_time: started.started_at,
      ...kind,
      dynamic_variables: { first_name: 'Ada' },
    });
  });

  it('dynamic_variables is {} if there are none', () => {
    const { started } = fakeCall(null, NOW);
    expect(sent('started', { ...started, dynamic_variables: {} }).payload.dynamic_variables).toEqual({});
  });
});

describe('call_ended payload', () => {
  it.each(kinds)('of an $call_type call has these fields and no others', (kind) => {
    const { ended } = fakeCall(null, NOW);
    expect(sent('ended', { ...ended, ...kind }).payload).toStrictEqual({
      status: 'completed',
      ...kind,
      start_time: ended.started_at,
      end_time: ended.ended_at,
      duration: 15,
      cost: 3,
      disconnection_reason: 'user_hangup',
      dynamic_variables: { first_name: 'Ada' },
    });
  });

  it.each([
    ['dial_no_answer', 'no_answer'],
    ['dial_busy', 'dial_busy'],
    ['dial_failed', 'dial_failed'],
    ['call_rejected', 'call_rejected'],
    ['error_user_not_joined', 'error_user_not_joined'],
  ] as const)(
    'of a call that was not answered: %s reads %s, duration and cost 0 [calls.6]',
    (stored, sentAs) => {
      const { ended } = fakeCall(null, NOW);
      const { payload } = sent('ended', { ...ended, ...unanswered, disconnection_reason: stored });
      expect(payload).toMatchObject({ disconnection_reason: sentAs, duration: 0, cost: 0 });
      expect(Object.keys(payload)).toHaveLength(10);
    },
  );

  it.each([
    'user_hangup',
    'agent_hangup',
    'completed',
    'timeout',
    'voicemail',
    'call_transfer',
    'error',
  ] as const)('of a call that was answered: %s is unchanged [calls.6]', (reason) => {
    const { ended } = fakeCall(null, NOW);
    const { payload } = sent('ended', { ...ended, disconnection_reason: reason });
    expect(payload.disconnection_reason).toBe(reason);
  });

  it('contains no transcript or analysis yet, and no internal fields', () => {
    const { ended } = fakeCall(null, NOW);
    const message = { ...ended, retryable: true, voicemail_message_left: true, do_not_call: true };
    expect(sent('ended', message).payload).toStrictEqual(sent('ended', ended).payload);
  });
});

describe('call_analyzed payload', () => {
  const analyzed = (changes: Partial<MessageData<'call.analyzed'>>) => {
    const call = fakeCall(null, NOW);
    const message = { ...call.analyzed, ...changes };
    return { call, message, payload: sent('analyzed', message).payload };
  };

  const whole = ({ call, message }: ReturnType<typeof analyzed>, data: object) => ({
    status: 'analyzed',
    data: {
      id: call.callId,
      workspace_id: workspace,
      agent_id: call.agentId,
      call_type: message.call_type,
      from_number: message.from_number,
      to_number: message.to_number,
      status: 'completed',
      duration: message.duration,
      started_at: message.started_at,
      ended_at: message.ended_at,
      disconnection_reason: message.disconnection_reason,
      recording_url: message.recording_url,
      recording_sid: message.recording_sid,
      call_sid: message.call_sid,
      cost: message.cost,
      created_at: message.created_at,
      updated_at: message.updated_at,
      transcript: message.transcript,
      transcript_clean: [message.transcript[0]],
      summary: message.summary,
      analysis_data: message.analysis_data,
      dynamic_variables: message.dynamic_variables,
      tools: message.tools,
      ...data,
    },
  });

  it.each(kinds)('of an $call_type call has these fields and no others', (kind) => {
    const recording = { recording_url: 'https://parley.example/recordings/a.wav', recording_sid: 'RE1' };
    const message = analyzed({ ...kind, ...recording });
    expect(message.payload).toStrictEqual(whole(message, {}));
  });

  it('call_sid is null for web calls, like both numbers', () => {
    const message = analyzed({ ...web, call_sid: null });
    expect(message.payload).toStrictEqual(whole(message, { call_sid: null, ...noNumbers }));
  });

  it('of a call that never connected: summary null, no turns, no data', () => {
    const message = analyzed({ ...unanswered, ...unheard, disconnection_reason: 'dial_no_answer' });
    const data = { disconnection_reason: 'no_answer', transcript: [], transcript_clean: [] };
    expect(message.payload).toStrictEqual(whole(message, data));
  });

  it.each([
    ['of voicemail', 'voicemail', 'The call reached voicemail.'],
    ['of a contact who never spoke', 'agent_hangup', 'The contact did not speak.'],
  ] as const)('%s: a fixed sentence as summary', (_, disconnection_reason, summary) => {
    const spoken = { role: 'agent' as const, content: 'Hello?', timestamp: AT };
    const message = analyzed({
      disconnection_reason,
      summary,
      analysis_data: null,
      transcript: [spoken],
      tools: [],
    });
    expect(message.payload).toStrictEqual(whole(message, { transcript_clean: [spoken] }));
  });

  it('analysis_data is null without post-call analysis, and summary is null too if generation was given up', () => {
    const message = analyzed({ summary: null, analysis_data: null });
    expect(message.payload).toStrictEqual(whole(message, { summary: null, analysis_data: null }));
  });

  it('a turn and a tool have all their fields, even without a result', () => {
    const { analyzed: message } = fakeCall(null, NOW);
    const [spoken, tool] = message.transcript;
    const { data } = sent('analyzed', {
      ...message,
      transcript: [spoken, { ...tool, result: undefined }] as typeof message.transcript,
      tools: message.tools.map((entry) => ({ ...entry, args: undefined, result: undefined })),
    }).payload;
    expect(Object.keys(data.transcript[0])).toEqual(['role', 'content', 'timestamp']);
    expect(data.transcript[1]).toStrictEqual({ ...tool, result: null });
    expect(Object.keys(data.transcript[1])).toEqual([
      'role',
      'tool_name',
      'query',
      'status_code',
      'result',
      'error',
      'documents',
      'timestamp',
    ]);
    // `slow` is the platform's own addition [tools.16].
    expect(data.tools[0]).toStrictEqual({ ...message.tools[0], args: null, result: null });
    expect(Object.keys(data.tools[0])).toEqual([
      'tool_name',
      'tool_type',
      'description',
      'args',
      'result',
      'error',
      'executed_at',
      'slow',
    ]);
  });

  it('transcript is chronological, and transcript_clean the same with tool turns removed', () => {
    const { analyzed: message } = fakeCall(null, NOW);
    const [spoken, tool] = message.transcript;
    const answer = { role: 'agent' as const, content: 'Booked.', timestamp: AT };
    const transcript = [spoken, tool, answer] as typeof message.transcript;
    const { data } = sent('analyzed', { ...message, transcript }).payload;
    expect(data.transcript).toEqual([spoken, tool, answer]);
    expect(data.transcript_clean).toEqual([spoken, answer]);
  });
});

describe('a message that contains each tool result once', () => {
  it('gives the same bytes as one that contains it twice', () => {
    const { analyzed } = fakeCall(null, NOW);
    const used = (tool_name: string, result: unknown) => ({
      turn: {
        ...({ role: 'tool', tool_name, query: '{"n":1}', status_code: 200, result, error: null } as const),
        ...{ documents: null, timestamp: AT },
      },
      log: {
        ...{ tool_name, tool_type: 'custom', description: null, args: { n: 1 }, result, error: null },
        ...{ executed_at: AT, slow: false },
      },
    });
    const [first, second] = [used('first', { a: ['x'] }), used('second', null)];
    const said = { role: 'user', content: 'Hello', timestamp: AT } as const;
    const transcript = [first.turn, said, second.turn];
    const twice = { ...analyzed, transcript, tools: [first.log, second.log] };
    const once = [first, second].map(({ log: { result: _, ...log } }, i) => ({ ...log, turn: i * 2 }));
    // As received from the broker: undefined fields are absent.
    const parsed = messageTypes['call.analyzed'].parse({ ...twice, tools: once });
    expect(JSON.stringify(sent('analyzed', parsed))).toBe(JSON.stringify(sent('analyzed', twice)));
  });
});
