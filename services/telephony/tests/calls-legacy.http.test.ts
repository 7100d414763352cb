import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, type SeededCall, seedCall } from './seed-call.ts';

let harness: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const get = (query: string, of = workspace) => harness.ask(of, 'GET', `/calls${query}`);
const seed = (fields: object = {}, of = workspace) => seedCall(harness.sql, of, { ...fields });

describe('GET /calls', () => {
  let calls: SeededCall[];

  beforeAll(async () => {
    calls = [];
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    calls.unshift(await seed({ created_at: day(1), disconnection_reason: 'dial_no_answer' }));
    calls.unshift(
      await seed({ created_at: day(2), call_type: 'inbound', disconnection_reason: 'voicemail' }),
    );
    calls.unshift(await seed({ created_at: day(3), ...LIVE }));
    await seed({}, newWorkspace());
  });

  const ids = async (query: string): Promise<string[]> =>
    (await get(query)).body.calls.map(({ id }: Json) => id);

  it('answers 200 unwrapped, newest first [calls.10]', async () => {
    const { status, body } = await get('');
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ limit: 50, offset: 0, hasMore: false });
    expect(body.calls.map(({ id }: Json) => id)).toEqual(calls.map(({ id }) => id));
  });

  it('[calls.6] returns a call in the legacy format, with its reason mapped', async () => {
    const { body } = await get('');
    const [, , first] = calls;
    expect(body.calls[2]).toEqual({
      id: first?.id,
      call_sid: null,
      call_type: 'outbound',
      from_number: first?.from_number,
      to_number: first?.to_number,
      status: 'completed',
      duration: 60,
      disconnection_reason: 'error',
      started_at: '2026-01-01T00:00:00.000Z',
      ended_at: '2026-01-01T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      agent_id: first?.agent_id,
      phone_number_id: null,
      summary: null,
      analysis_data: null,
    });
    expect(body.calls[1].disconnection_reason).toBe('completed');
  });

  it('has no duration before the call ends', async () => {
    const [live] = (await get('')).body.calls;
    expect(live).not.toHaveProperty('duration');
    expect(live).toMatchObject({ status: 'in-progress', disconnection_reason: null, ended_at: null });
  });

  it('filters by status and callType', async () => {
    expect(await ids('?status=in-progress')).toEqual([calls[0]?.id]);
    expect(await ids('?callType=inbound')).toEqual([calls[1]?.id]);
    expect(await ids('?status=queued')).toEqual([]);
  });

  it('returns hasMore while more calls follow', async () => {
    const first = await get('?limit=2');
    expect(first.body.pagination).toEqual({ limit: 2, offset: 0, hasMore: true });
    const second = await get('?limit=2&offset=2');
    expect(second.body.pagination).toEqual({ limit: 2, offset: 2, hasMore: false });
    expect([...first.body.calls, ...second.body.calls].map(({ id }) => id)).toEqual(
      calls.map(({ id }) => id),
    );
    expect((await get('?limit=1&offset=2')).body.pagination.hasMore).toBe(false);
  });

  it.each([
    ['?limit=0', { limit: 1, offset: 0 }],
    ['?limit=1000', { limit: 100, offset: 0 }],
    ['?limit=many', { limit: 50, offset: 0 }],
    ['?limit=5&limit=6', { limit: 50, offset: 0 }],
    ['?offset=-5', { limit: 50, offset: 0 }],
    ['?offset=99999999999999999999', { limit: 50, offset: 2_147_483_647 }],
  ])('[general.10] clamps %s to its range', async (query, expected) => {
    const { status, body } = await get(query);
    expect(status).toBe(200);
    expect(body.pagination).toMatchObject(expected);
  });

  it('ignores an unknown status or type', async () => {
    expect(await ids('?status=done&callType=fax')).toHaveLength(3);
  });

  it('[general.10] answers every error without a body', async () => {
    const refused = await harness.ask(workspace, 'GET', '/calls', { token: false });
    expect(refused.status).toBe(401);
    expect(refused.text).toBe('');
    const actor = { kind: 'public_key', id: randomUUID() } as const;
    const forbidden = await harness.ask(workspace, 'GET', '/calls', { actor });
    expect([forbidden.status, forbidden.text]).toEqual([403, '']);
  });
});

describe('GET /calls?callId=', () => {
  it('answers 200 with the legacy call and its extra fields, unwrapped', async () => {
    const agent = harness.peers.addAgent(workspace, { agent_name: 'Ada' });
    const { body: number } = await harness.ask(workspace, 'POST', '/v1/phone-number/sip', {
      body: {
        phone_number: anyNumber(),
        termination_uri: 'sip.example.com',
        nickname: 'Front desk',
        outbound_agent_id: agent.agent_id,
      },
    });
    const call = await seed({
      agent_id: agent.agent_id,
      phone_number_id: number.data.id,
      from_number: number.data.phone_number,
      created_at: new Date('2026-01-31T08:00:00Z'),
      transcript: 'analyzed',
      enhanced_transcript: 'better',
      summary: 'They talked.',
      analysis_data: { mood: 'good' },
      dynamic_variables: { name: 'Bo' },
      call_sid: 'room',
    });
    await talk(call.id, [
      ['agent', 'Hello!', '2026-01-31T08:00:01Z'],
      ['tool', null, '2026-01-31T08:00:02Z'],
      ['user', 'Hi.', '2026-01-31T08:00:03Z'],
    ]);
    const { status, body } = await get(`?callId=${call.id.toUpperCase()}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: call.id,
      call_sid: 'room',
      call_type: 'outbound',
      from_number: call.from_number,
      to_number: call.to_number,
      status: 'completed',
      duration: 60,
      disconnection_reason: 'user_hangup',
      started_at: '2026-01-31T08:00:00.000Z',
      ended_at: '2026-01-31T08:00:00.000Z',
      created_at: '2026-01-31T08:00:00.000Z',
      agent_id: agent.agent_id,
      phone_number_id: number.data.id,
      summary: 'They talked.',
      analysis_data: { mood: 'good' },
      transcript: '[2026-01-31T08:00:01.000Z] Agent: Hello!\n[2026-01-31T08:00:03.000Z] User: Hi.',
      enhanced_transcript: 'better',
      dynamic_variables: { name: 'Bo' },
      agents: { agent_name: 'Ada' },
      phone_numbers: { phone_number: number.data.phone_number, friendly_name: 'Front desk' },
    });
  });

  it('has no transcript before the analysis, and no number for a web call', async () => {
    const call = await seed({ call_type: 'web', from_number: null, to_number: null });
    const { body } = await get(`?callId=${call.id}`);
    expect(body).toMatchObject({ transcript: null, phone_numbers: null, agents: { agent_name: null } });
  });

  it('[numbers.10] reads phone_number_id null once the number is deleted, and keeps both numbers', async () => {
    const call = await seed({ phone_number_id: randomUUID() });
    const gone = { phone_number_id: null, from_number: call.from_number, to_number: call.to_number };
    expect((await get(`?callId=${call.id}`)).body).toMatchObject({ ...gone, phone_numbers: null });
    const { body } = await get('');
    expect(body.calls.find(({ id }: Json) => id === call.id)).toMatchObject(gone);
  });

  it('is a bare 404 for a call of another workspace, an unknown one, and a malformed id', async () => {
    const foreign = await seed({}, newWorkspace());
    for (const id of [foreign.id, randomUUID(), 'abc', '', '%00']) {
      const { status, text } = await get(`?callId=${id}`);
      expect(status).toBe(404);
      expect(text).toBe('');
    }
  });
});

async function talk(
  callId: string,
  turns: [role: string, content: string | null, at: string][],
): Promise<void> {
  for (const [seq, [role, content, at]] of turns.entries()) {
    const [tool, query] = role === 'tool' ? ['look_up', '{}'] : [null, null];
    await harness.sql.$executeRaw`INSERT INTO turns (call_id, seq, role, content, tool_name, query, at)
      VALUES (${callId}, ${seq}, ${role}, ${content}, ${tool}, ${query}, ${new Date(at)})`;
  }
}
