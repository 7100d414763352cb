import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, type SeededCall, seedCall } from './seed-call.ts';

let harness: Harness;
const workspace = newWorkspace();
const other = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const seed = (fields: object = {}, of = workspace) => seedCall(harness.sql, of, { ...fields });
const read = (id: string, of = workspace) => harness.ask(of, 'GET', `/v2/call/${id}`);
const list = (body: object, of = workspace) => harness.ask(of, 'POST', '/v2/call/list', { body });

async function knowAgent(of: string, agent_name: string, deleted = false): Promise<string> {
  const id = randomUUID();
  await harness.sql
    .$executeRaw`INSERT INTO agents (agent_id, workspace_id, agent_name, version, deleted) VALUES (${id}, ${of}, ${agent_name}, 1, ${deleted})`;
  return id;
}

describe('GET /v2/call/{id}', () => {
  it('answers 200 with the analyzed call [calls.9]', async () => {
    const agent_id = await knowAgent(workspace, 'Ada');
    const call = await seed({
      agent_id,
      created_at: new Date('2026-01-31T08:00:00.123Z'),
      transcript: 'Agent: Hello',
      transcript_json: { conversation: [{ role: 'agent', content: 'Hello' }] },
      enhanced_transcript: 'Agent: Hello!',
      transcript_fix_count: 2,
      summary: 'They said hello.',
      analysis_data: { mood: 'good' },
      dynamic_variables: { name: 'Bo' },
      metadata: { order: 1 },
      call_sid: 'sid-1',
      recording_sid: 'rec-1',
      campaign_id: randomUUID(),
      contact_id: randomUUID(),
      unresolved_placeholders: ['city'],
    });
    const { status, body } = await read(call.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        id: call.id,
        workspace_id: workspace,
        agent_id,
        agent_name: 'Ada',
        call_type: 'outbound',
        from_number: call.from_number,
        to_number: call.to_number,
        status: 'completed',
        duration: 60,
        cost: 10,
        started_at: '2026-01-31T08:00:00.123Z',
        answered_at: '2026-01-31T08:00:00.123Z',
        ended_at: '2026-01-31T08:00:00.123Z',
        disconnection_reason: 'user_hangup',
        created_at: '2026-01-31T08:00:00.123Z',
        updated_at: '2026-01-31T08:00:00.123Z',
        phone_number_id: null,
        call_sid: 'sid-1',
        recording_url: null,
        recording_sid: 'rec-1',
        summary: 'They said hello.',
        transcript: 'Agent: Hello',
        enhanced_transcript: 'Agent: Hello!',
        transcript_json: { conversation: [{ role: 'agent', content: 'Hello' }] },
        transcript_fix_count: 2,
        analysis_data: { mood: 'good' },
        dynamic_variables: { name: 'Bo' },
        metadata: { order: 1 },
        campaign_id: call.campaign_id,
        unresolved_placeholders: ['city'],
      },
    });
  });

  it('[calls.12] signs the link to the recording', async () => {
    const { id } = await seed({ recording_key: 'some/recording.wav' });
    const { recording_url } = (await read(id)).body.data;
    const url = new URL(recording_url);
    expect(url.href).toMatch(/^https:\/\/parley\.example\/recordings\//);
    const query = {
      expires: String(url.searchParams.get('expires')),
      reader: String(url.searchParams.get('reader')),
      signature: String(url.searchParams.get('signature')),
    };
    expect(harness.context.recordingLinks.verify('some/recording.wav', query)).toBe(true);
  });

  it('reads agent_name null once the assistant is deleted', async () => {
    const { id } = await seed({ agent_id: await knowAgent(workspace, 'Gone', true) });
    expect((await read(id)).body.data.agent_name).toBeNull();
  });

  it('[numbers.10] reads phone_number_id null once the number is deleted, and keeps both numbers', async () => {
    const call = await seed({ phone_number_id: randomUUID() });
    expect((await read(call.id)).body.data).toMatchObject({
      phone_number_id: null,
      from_number: call.from_number,
      to_number: call.to_number,
    });
  });

  it('answers a call of another workspace exactly like an unknown one', async () => {
    const { id } = await seed({}, other);
    const foreign = await read(id);
    const missing = await read(randomUUID());
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.code).toBe('NOT_FOUND');
    expect(foreign.text).toBe(missing.text);
  });

  it('is 422 for an id that is not a UUID', async () => {
    const { status, body } = await read('12');
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'id' }] });
  });
});

describe('POST /v2/call/list', () => {
  const shelf = newWorkspace();
  const agents = [randomUUID(), randomUUID()];
  const campaign_id = randomUUID();
  const from_number = anyNumber();
  const day = (n: number, hour = 12) => new Date(Date.UTC(2026, 0, n, hour));
  let calls: SeededCall[];

  beforeAll(async () => {
    const rows = [
      { agent_id: agents[0], created_at: day(1), duration: 10, cost: 2, call_type: 'inbound' },
      { agent_id: agents[0], created_at: day(2), duration: 20, cost: 4, from_number },
      { agent_id: agents[1], created_at: day(3), duration: 30, cost: 6, disconnection_reason: 'dial_busy' },
      {
        agent_id: agents[1],
        created_at: day(4),
        campaign_id,
        contact_id: randomUUID(),
        to_number: '+15551237777',
      },
      { agent_id: agents[1], created_at: day(5), ...LIVE },
      // A web call has no numbers [web-calls.3].
      {
        created_at: day(5),
        call_type: 'web',
        from_number: null,
        to_number: null,
        disconnection_reason: 'timeout',
      },
    ];
    calls = [];
    for (const row of rows) calls.push(await seed(row, shelf));
    await seed({ agent_id: agents[0], campaign_id, contact_id: randomUUID(), from_number }, other);
  });

  const found = async (filters: object): Promise<number[]> => {
    const { status, body } = await list(filters, shelf);
    expect(status).toBe(200);
    expect(body.pagination.total).toBe(body.data.length);
    return body.data.map(({ id }: Json) => calls.findIndex((call) => call.id === id)).sort();
  };

  it('has the fields of a list item, newest first', async () => {
    const { status, body } = await list({}, shelf);
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ total: 6, count: 6, next_cursor: null });
    const times = body.data.map(({ created_at }: Json) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(body.data[5]).toEqual({
      id: calls[0]?.id,
      workspace_id: shelf,
      agent_id: agents[0],
      agent_name: null,
      call_type: 'inbound',
      from_number: calls[0]?.from_number,
      to_number: calls[0]?.to_number,
      status: 'completed',
      duration: 10,
      cost: 2,
      started_at: '2026-01-01T12:00:00.000Z',
      answered_at: '2026-01-01T12:00:00.000Z',
      ended_at: '2026-01-01T12:00:00.000Z',
      disconnection_reason: 'user_hangup',
      created_at: '2026-01-01T12:00:00.000Z',
      updated_at: '2026-01-01T12:00:00.000Z',
    });
  });

  it('[general.16] pages through calls of the same instant, each once', async () => {
    const still = newWorkspace();
    const created_at = day(9);
    for (let i = 0; i < 7; i += 1) await seed({ created_at }, still);
    const ids: string[] = [];
    for (let page: string | null = '1'; page !== null; ) {
      const { body }: Json = await list({ size: 3, page: Number(page) }, still);
      expect(body.pagination.total).toBe(7);
      ids.push(...body.data.map(({ id }: Json) => id));
      page = body.pagination.next_cursor;
    }
    expect(new Set(ids).size).toBe(7);
    expect(ids).toEqual([...ids].sort().reverse());
  });

  it.each([
    ['call_types', { call_types: ['inbound', 'web'] }, [0, 5]],
    ['agent_ids', { agent_ids: [agents[0]] }, [0, 1]],
    ['agent_ids in upper case', { agent_ids: [agents[0]?.toUpperCase()] }, [0, 1]],
    ['campaign_ids', { campaign_ids: [campaign_id, randomUUID()] }, [3]],
    ['from_numbers', { from_numbers: [from_number] }, [1]],
    ['from_numbers, exactly as stored', { from_numbers: [from_number.slice(1)] }, []],
    ['part of to_number', { to_number: '5123777' }, [3]],
    ['the whole of to_number', { to_number: '+15551237777' }, [3]],
    ['to_number as plain text: %', { to_number: '%' }, []],
    ['to_number as plain text: _', { to_number: '+1555123777_' }, []],
    ['to_number as plain text: \\', { to_number: '\\' }, []],
    ['disconnection_reasons', { disconnection_reasons: ['dial_busy', 'timeout'] }, [2, 5]],
    ['a reason that nobody knows', { disconnection_reasons: ['sunspots'] }, []],
    ['duration, inclusive', { duration_min: 10, duration_max: 20 }, [0, 1]],
    ['fractions of duration', { duration_min: 10.5, duration_max: 29.5 }, [1]],
    ['cost, inclusive', { cost_min: 4, cost_max: 6 }, [1, 2]],
    ['a duration that no call has', { duration_min: 1e308 }, []],
    ['numbers beyond all calls', { duration_min: 0, cost_max: 1e308 }, [0, 1, 2, 3, 5]],
    ['created_after, inclusive', { created_after: '2026-01-04T12:00:00.000Z' }, [3, 4, 5]],
    ['created_before, inclusive', { created_before: '2026-01-02T12:00:00Z' }, [0, 1]],
    ['offsets of dates', { created_after: '2026-01-04T14:00:00+02:00' }, [3, 4, 5]],
    ['offsets of dates, just after', { created_after: '2026-01-04T14:00:00.001+02:00' }, [4, 5]],
    ['dates of the first year', { created_after: '0001-01-01T00:00:00+14:00' }, [0, 1, 2, 3, 4, 5]],
    ['dates of the year 0', { created_before: '0000-01-01T00:00:00Z' }, []],
    ['dates of the last year', { created_before: '9999-12-31T23:59:59-12:00' }, [0, 1, 2, 3, 4, 5]],
    [
      'an empty array as no filter',
      { agent_ids: [], call_types: [], disconnection_reasons: [] },
      [0, 1, 2, 3, 4, 5],
    ],
    [
      'filters together',
      { agent_ids: [agents[1]], duration_min: 30, disconnection_reasons: ['dial_busy'] },
      [2],
    ],
    ['an unknown filter as none', { mood: 'good' }, [0, 1, 2, 3, 4, 5]],
  ])('filters by %s', async (_, filters, expected) => {
    expect(await found(filters)).toEqual(expected);
  });

  it('filters by call_id, within the workspace', async () => {
    expect(await found({ call_id: calls[2]?.id })).toEqual([2]);
    const foreign = await seed({}, other);
    expect(await found({ call_id: foreign.id })).toEqual([]);
  });

  it('shows nothing of another workspace', async () => {
    const { body } = await list({ campaign_ids: [campaign_id], from_numbers: [from_number] }, newWorkspace());
    expect(body.data).toEqual([]);
  });

  it.each([
    ['page', 0],
    ['page', 1.5],
    ['page', '1'],
    ['size', 0],
    ['size', 1001],
    ['call_types', ['fax']],
    ['call_types', 'web'],
    ['agent_ids', ['nobody']],
    ['agent_ids', Array.from({ length: 101 }, () => agents[0])],
    ['campaign_ids', [1]],
    ['from_numbers', [1]],
    ['to_number', 5],
    ['to_number', ''],
    ['call_id', 'abc'],
    ['created_after', 'yesterday'],
    ['created_after', '2026-01-01T00:00:00'],
    ['created_after', '2026-01-01'],
    ['created_before', 1_767_225_600],
    ['duration_min', '10'],
    ['cost_max', null],
    ['disconnection_reasons', 'dial_busy'],
    ['disconnection_reasons', Array.from({ length: 101 }, () => 'timeout')],
    ['call_types', Array.from({ length: 101 }, () => 'web')],
    ['campaign_ids', Array.from({ length: 101 }, () => campaign_id)],
    ['from_numbers', Array.from({ length: 101 }, () => from_number)],
    ['created_before', '2026-01-01T00:00:00'],
    ['duration_max', '10'],
    ['cost_min', [1]],
    ['duration_min', -1],
    ['duration_max', -0.5],
    ['cost_min', -1],
    ['cost_max', -1e308],
    ['created_after', '2026-02-30T00:00:00Z'],
    ['created_before', '2026-13-01T00:00:00Z'],
  ])('is 422 for %s = %p, and reports it', async (path, value) => {
    const { status, body } = await list({ [path]: value }, shelf);
    expect(status).toBe(422);
    expect(body.error.code).toBe('VALIDATION_FAILED');
    expect(body.error.message).toContain(path);
    expect(body.error.details[0].path).toMatch(new RegExp(`^${path}(\\.\\d+)?$`));
  });

  it.each([
    ['duration_min', { duration_min: 21, duration_max: 20 }],
    ['cost_min', { cost_min: 0.5, cost_max: 0 }],
    ['created_after', { created_after: '2026-01-02T00:00:00Z', created_before: '2026-01-02T00:30:00+01:00' }],
  ])('[calls.8] is 422 for %s above its counterpart', async (path, filters) => {
    const { status, body } = await list(filters, shelf);
    expect([status, body.error.details]).toMatchObject([422, [{ path }]]);
  });

  it('accepts 100 values in an array', async () => {
    const agent_ids = Array.from({ length: 100 }, () => randomUUID());
    expect((await list({ agent_ids }, shelf)).status).toBe(200);
  });

  it('returns a page that is read in several steps completely and in order', async () => {
    const many = newWorkspace();
    const agentId = await knowAgent(many, 'Ada');
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(n / 3)));
    for (let n = 0; n < 330; n += 1) await seed({ agent_id: agentId, created_at: at(n) }, many);
    const { status, body } = await list({ size: 310, page: 1 }, many);
    expect([status, body.pagination]).toEqual([200, { total: 330, count: 310, next_cursor: '2' }]);
    const small = [];
    for (let page = 1; page <= 4; page += 1) small.push(...(await list({ size: 100, page }, many)).body.data);
    expect(body.data).toEqual(small.slice(0, 310));
    expect(body.data[309]).toMatchObject({ agent_name: 'Ada' });
    const last = await list({ size: 310, page: 2 }, many);
    expect(last.body.data).toEqual(small.slice(310));
  });

  it('is 500 INTERNAL_ERROR past the last page, every time', async () => {
    for (const body of [
      { page: 2 },
      { page: 2 },
      { page: 7, size: 1 },
      { page: 2_147_483_647, size: 1000 },
    ]) {
      const { status, body: answer } = await list(body, shelf);
      expect(status).toBe(500);
      expect(answer.error.code).toBe('INTERNAL_ERROR');
    }
  });

  it('is 200 with an empty page 1 of an empty list, and 500 for page 2', async () => {
    const empty = newWorkspace();
    const { status, body } = await list({}, empty);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: [], pagination: { total: 0, count: 0, next_cursor: null } });
    expect((await list({ page: 2 }, empty)).status).toBe(500);
  });
});
