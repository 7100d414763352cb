import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { callFrom, connectNumber, customTool, FAST, finished, readCall, requestDial } from './place-call.ts';
import { seedCall } from './seed-call.ts';

describe('[calls.11] GET /v2/call/{id}/timeline', () => {
  let harness: Harness;
  let endpoint: Receiver;

  beforeAll(async () => {
    endpoint = await receiver();
    harness = await startHarness({ ...FAST, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  });
  afterAll(async () => {
    await harness.close();
    await endpoint.close();
  });

  const ask = (workspaceId: string, id: string) => harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`);

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> => {
    const { status, body } = await ask(workspaceId, id);
    expect({ status, success: body?.success }).toEqual({ status: 200, success: true });
    for (const entry of body.data) expect(entry.message).toMatch(/^[A-Z+].+\S$/);
    const instants = body.data.map(({ at }: { at: string }) => at);
    expect(instants).toEqual([...instants].sort());
    return body.data;
  };

  const types = (timeline: Json[]): string[] => timeline.map(({ type }) => type);

  it('covers a call from the queue to its analysis, in order, with everything a person needs', async () => {
    const number = await connectNumber(harness);
    const to = anyNumber('4242');
    const id = await callFrom(harness, number, to);
    const call = await finished(harness, number.workspaceId, id);
    const timeline = await timelineOf(number.workspaceId, id);
    expect(types(timeline).filter((type) => type !== 'turn')).toEqual([
      'queued',
      'dialing',
      'ringing',
      'answered',
      'ended',
      'recording_stored',
      'analyzed',
    ]);
    const turns = timeline.filter(({ type }) => type === 'turn');
    expect(turns.map(({ role, content }) => ({ role, content }))).toEqual(call.transcript_json.conversation);
    expect(types(timeline).indexOf('answered')).toBeLessThan(types(timeline).indexOf('turn'));
    expect(types(timeline).indexOf('ended')).toBeGreaterThan(types(timeline).lastIndexOf('turn'));
    const entry = (type: string) => timeline.find((item) => item.type === type);
    expect(entry('queued')).toMatchObject({
      at: call.created_at,
      from_number: number.phoneNumber,
      to_number: to,
    });
    expect(entry('dialing')).toMatchObject({ at: call.started_at });
    expect(entry('answered')).toMatchObject({ at: call.answered_at, call_sid: call.call_sid });
    expect(entry('ended')).toMatchObject({
      at: call.ended_at,
      disconnection_reason: 'user_hangup',
      duration: call.duration,
      cost: call.cost,
      cause: 'remote',
    });
    expect(entry('analyzed')).toMatchObject({ edition: 1, complete: true });
  });

  it('shows a tool where it was used, with its result, truncated if very long', async () => {
    const long = { text: 'x'.repeat(5_000) };
    endpoint.script('/long', { body: long });
    endpoint.script('/gone', { status: 404 });
    const tools = [
      customTool({ tool_name: 'look_up', endpoint_url: `${endpoint.url}/long` }),
      customTool({ tool_name: 'forget', endpoint_url: `${endpoint.url}/gone` }),
    ];
    const number = await connectNumber(harness, { agent: { tools } });
    const id = await callFrom(harness, number, anyNumber('0010'));
    await finished(harness, number.workspaceId, id);
    const timeline = await timelineOf(number.workspaceId, id);
    const used = timeline.filter(({ type }) => type === 'tool');
    expect(used).toMatchObject([
      { tool_name: 'look_up', tool_type: 'custom', status_code: 200, error: null, slow: false },
      { tool_name: 'forget', status_code: 404, result: null, error: 'The tool responded with status 404' },
    ]);
    expect(used[0].result).toMatch(/^\{"text":"x+ \[cut\]$/);
    expect(types(timeline).indexOf('turn')).toBeLessThan(types(timeline).indexOf('tool'));
  });

  it('shows when a machine was detected', async () => {
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('0003'));
    await finished(harness, number.workspaceId, id);
    const timeline = await timelineOf(number.workspaceId, id);
    const found = types(timeline).filter((type) => type !== 'turn');
    expect(found.slice(3, 5)).toEqual(['answered', 'machine_detected']);
    expect(timeline.at(-3)).toMatchObject({ type: 'ended', disconnection_reason: 'voicemail' });
  });

  it.each([
    ['0001', 'dial_no_answer', ['queued', 'dialing', 'ringing', 'ended', 'analyzed']],
    ['0002', 'dial_busy', ['queued', 'dialing', 'ended', 'analyzed']],
    ['0005', 'dial_failed', ['queued', 'dialing', 'ended', 'analyzed']],
  ])('shows a dial that failed: %s', async (ending, reason, expected) => {
    const number = await connectNumber(harness, { settings: { ringTimeout: 60 } });
    const id = await callFrom(harness, number, anyNumber(ending));
    await finished(harness, number.workspaceId, id);
    const timeline = await timelineOf(number.workspaceId, id);
    expect(types(timeline)).toEqual(expected);
    expect(timeline.at(-2)).toMatchObject({ disconnection_reason: reason, duration: 0, cost: 0 });
  });

  it('shows why a queued call was never dialed', async () => {
    const number = await connectNumber(harness, { maxCps: 0.1 });
    // The last one waits for minutes of stack time, which on a busy machine pass before the number is deactivated.
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) ids.push(await callFrom(harness, number, anyNumber('0002')));
    await harness.callAsService(
      number.workspaceId,
      'PUT',
      `/internal/phone-numbers/${number.id}/activation`,
      {
        is_active: false,
      },
    );
    const id = ids.at(-1) as string;
    await finished(harness, number.workspaceId, id);
    expect(await readCall(harness, number.workspaceId, id)).toMatchObject({
      disconnection_reason: 'dial_failed',
    });
    const timeline = await timelineOf(number.workspaceId, id);
    expect(types(timeline)).toEqual(['queued', 'ended', 'analyzed']);
    expect(timeline[1]).toMatchObject({
      cause: 'number_unavailable',
      message: expect.stringContaining('deactivated'),
    });
  });

  it("begins a campaign's call with the request of the campaign", async () => {
    const number = await connectNumber(harness);
    const { call_id } = await requestDial(harness, number);
    await finished(harness, number.workspaceId, call_id);
    expect(types(await timelineOf(number.workspaceId, call_id))).toEqual([
      'queued',
      'dialing',
      'ended',
      'analyzed',
    ]);
  });

  it('can be read during the call', async () => {
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('0007'));
    await eventually(async () =>
      expect(types((await ask(number.workspaceId, id)).body.data)).toContain('turn'),
    );
    expect(types(await timelineOf(number.workspaceId, id))).not.toContain('ended');
  });

  it('is empty without any records', async () => {
    const workspaceId = newWorkspace();
    const { id } = await seedCall(harness.sql, workspaceId);
    expect(await timelineOf(workspaceId, id)).toEqual([]);
  });

  it('is 404 for a call of another workspace and an unknown one, 422 for a malformed id', async () => {
    const { id } = await seedCall(harness.sql, newWorkspace());
    expect(await ask(newWorkspace(), id)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
    expect(await ask(newWorkspace(), randomUUID())).toMatchObject({ status: 404 });
    expect(await ask(newWorkspace(), 'call-1')).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path: 'id' }] } },
    });
  });
});
