import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, FAST, finished, publishedEventsOf } from './place-call.ts';

describe('[running.2] the simulated carrier', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness(FAST);
  });
  afterAll(() => harness.close());

  const ANSWERED = ['call.started', 'call.ended', 'call.analyzed'];
  const UNANSWERED = ['call.ended', 'call.analyzed'];

  const place = async (ending: string, settings: Record<string, unknown> = {}) => {
    const number = await connectNumber(harness, { settings });
    const id = await callFrom(harness, number, anyNumber(ending));
    return { id, call: await finished(harness, number.workspaceId, id) };
  };
  const silent = { voicemail: { detection: false, action: 'hangup', message: '' }, silenceTimeout: 5 };
  /** Placed concurrently, each from its own workspace. */
  const placeAll = () => ({
    '0001': place('0001'),
    '0002': place('0002'),
    '0003': place('0003'),
    '0004': place('0004'),
    '0005': place('0005'),
    '0008': place('0008'),
    '0011': place('0011'),
    '0012': place('0012'),
    '4242': place('4242'),
    ringTimeout: place('0001', { ringTimeout: 40 }),
    undetected: place('0003', silent),
    silenceTimeout: place('0006', { silenceTimeout: 8 }),
    maxCallDuration: place('0007', { maxCallDuration: 30 }),
  });
  let calls: ReturnType<typeof placeAll>;
  beforeAll(async () => {
    calls = placeAll();
    await Promise.allSettled(Object.values(calls));
  });

  it.each([
    ['0001', 'dial_no_answer', true],
    ['0002', 'dial_busy', true],
    ['0004', 'dial_failed', true],
    ['0005', 'dial_failed', false],
  ] as const)('%s: %s, retryable: %s', async (ending, reason, retryable) => {
    const { id, call } = await calls[ending];
    expect(call).toMatchObject({
      status: 'completed',
      disconnection_reason: reason,
      answered_at: null,
      duration: 0,
      cost: 0,
      summary: null,
      analysis_data: null,
      transcript_json: { conversation: [] },
    });
    expect(publishedEventsOf(harness, id)).toEqual(UNANSWERED);
    expect(analyzed(harness, id)[0]?.data).toMatchObject({ retryable, disconnection_reason: reason });
  });

  it('0001 rings until ringTimeout', async () => {
    const { call } = await calls.ringTimeout;
    const rangForMs = Date.parse(call.ended_at) - Date.parse(call.started_at);
    expect(rangForMs).toBeGreaterThanOrEqual(40_000);
    // After this time the carrier gives up.
    expect(rangForMs).toBeLessThan(90_000);
  });

  it('0003: voicemail, which counts as answered', async () => {
    const { id, call } = await calls['0003'];
    expect(call).toMatchObject({ disconnection_reason: 'voicemail', summary: 'The call reached voicemail.' });
    expect(call.answered_at).not.toBeNull();
    expect(publishedEventsOf(harness, id)).toEqual(ANSWERED);
    expect(analyzed(harness, id)[0]?.data).toMatchObject({ retryable: true, voicemail_message_left: false });
  });

  it("0003: leaves the assistant's voicemail message", async () => {
    const voicemail = { detection: true, action: 'leave_message', message: 'Please call {{who}} back.' };
    const number = await connectNumber(harness, { settings: { voicemail } });
    const id = await callFrom(harness, number, anyNumber('0003'), { dynamic_variables: { who: 'Ada' } });
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('voicemail');
    expect(call.transcript).toContain('Please call Ada back.');
    expect(analyzed(harness, id)[0]?.data).toMatchObject({ retryable: false, voicemail_message_left: true });
  });

  it("0003: without detection the machine counts as a human, and its silence as a human's", async () => {
    const { call } = await calls.undetected;
    expect(call).toMatchObject({
      disconnection_reason: 'agent_hangup',
      summary: 'The contact did not speak.',
    });
  });

  it('0006: answers and says nothing, until silenceTimeout', async () => {
    const { id, call } = await calls.silenceTimeout;
    expect(call).toMatchObject({
      disconnection_reason: 'agent_hangup',
      summary: 'The contact did not speak.',
    });
    expect(call.duration).toBeGreaterThanOrEqual(8);
    expect(publishedEventsOf(harness, id)).toEqual(ANSWERED);
  });

  it('0007: keeps talking and never hangs up, until maxCallDuration', async () => {
    const { call } = await calls.maxCallDuration;
    expect(call.disconnection_reason).toBe('timeout');
    expect(call.duration).toBeGreaterThanOrEqual(30);
    expect(call.cost).toBe(Math.ceil((call.duration * 10) / 60));
  });

  it('0008: answers and hangs up at once', async () => {
    const { id, call } = await calls['0008'];
    expect(call).toMatchObject({
      disconnection_reason: 'user_hangup',
      summary: 'The contact did not speak.',
    });
    expect(call.duration).toBeGreaterThanOrEqual(1);
    expect(publishedEventsOf(harness, id)).toEqual(ANSWERED);
  });

  it('0009: every other call of the workspace is answered', async () => {
    const number = await connectNumber(harness);
    const to = anyNumber('0009');
    const reasons: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const call = await finished(harness, number.workspaceId, await callFrom(harness, number, to));
      reasons.push(call.disconnection_reason);
    }
    expect(reasons).toEqual(['dial_no_answer', 'user_hangup', 'dial_no_answer']);
    const other = await connectNumber(harness);
    const first = await finished(harness, other.workspaceId, await callFrom(harness, other, to));
    expect(first.disconnection_reason).toBe('dial_no_answer');
  });

  it.each(['0011', '0012', '4242'] as const)('%s: an ordinary call, dialed once', async (ending) => {
    const { id, call } = await calls[ending];
    expect(call).toMatchObject({ status: 'completed', disconnection_reason: 'user_hangup' });
    expect(call.call_sid).not.toBeNull();
    expect(call.transcript_json.conversation.length).toBeGreaterThanOrEqual(6);
    expect(call.duration).toBe(Math.ceil((Date.parse(call.ended_at) - Date.parse(call.answered_at)) / 1000));
    expect(publishedEventsOf(harness, id)).toEqual(ANSWERED);
    const legs = await harness.sql.$queryRaw<
      unknown[]
    >`SELECT 1 FROM simulated_legs WHERE reference = ${id}::uuid`;
    expect(legs).toHaveLength(1);
  });

  it('always has the same conversation with the same number', async () => {
    const number = await connectNumber(harness);
    const to = anyNumber('4321');
    const lines = async () => {
      const call = await finished(harness, number.workspaceId, await callFrom(harness, number, to));
      return call.transcript_json.conversation;
    };
    const [one, other] = await Promise.all([lines(), lines()]);
    expect(one).toEqual(other);
  });
});
