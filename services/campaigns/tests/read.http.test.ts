import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, OTHER_WORKSPACE } from './harness.ts';

let h: Harness;
let ids: string[];
let agentId: string;
beforeAll(async () => {
  h = await createHarness({ jobs: false, consumers: false });
  agentId = h.furnish().agentId;
  ids = [];
  for (const [campaign_name, more] of [
    ['Alpha 100% sure', { agent_id: agentId }],
    ['beta_2', { scheduled_at: '2099-01-01T00:00:00Z' }],
    ['Gamma back\\slash', {}],
  ] as const) {
    ids.push(await h.create({ campaign_name, ...more }));
  }
});
afterAll(() => h.close());

const list = (query = '') => h.send('GET', `/v1/campaigns${query}`);
const names = async (query: string): Promise<unknown[]> => {
  const { data } = await list(query);
  return (data as unknown as { campaign_name: string }[]).map(({ campaign_name }) => campaign_name);
};

describe('GET /v1/campaigns/{id}', () => {
  it('200 with the single read', async () => {
    const answer = await h.send('GET', `/v1/campaigns/${ids[0]}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: {
        campaign_id: ids[0],
        campaign_name: 'Alpha 100% sure',
        agent_id: agentId,
        phone_number: expect.stringMatching(/^\+1415/),
        status: 'draft',
        total_contacts: 1,
        completed_calls: 0,
        successful_calls: 0,
        failed_calls: 0,
        started_at: null,
        business_hours: null,
        completed_at: null,
        scheduled_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    });
  });

  it.each([
    ['GET', ''],
    ['GET', '/contacts'],
    ['GET', '/explain'],
    ['POST', '/contacts'],
    ['GET', '/contacts.csv'],
    ['POST', '/resume'],
    ['POST', '/pause'],
    ['POST', '/cancel'],
  ])(
    '404 CAMPAIGN_NOT_FOUND on %s …%s for an unknown, malformed or foreign id [campaigns.6]',
    async (method, path) => {
      for (const [id, workspaceId] of [
        ['0189aaaa-0000-7000-8000-00000000ffff', undefined],
        ['not-a-uuid', undefined],
        ['%00', undefined],
        [ids[0], OTHER_WORKSPACE],
      ]) {
        const answer = await h.send(method, `/v1/campaigns/${id}${path}`, workspaceId ? { workspaceId } : {});
        expect([answer.status, answer.body]).toMatchObject([404, { error: { code: 'CAMPAIGN_NOT_FOUND' } }]);
      }
    },
  );

  it('still reads a campaign whose time zone is no longer known', async () => {
    const hours = { tz: 'Europe/Rome', days: [1], windows: [{ start: 0, end: 60 }] };
    const id = await h.create({ campaign_name: 'zone', business_hours: hours });
    await h.sql
      .$executeRaw`UPDATE campaigns SET business_hours = jsonb_set(business_hours, '{tz}', '"Atlantis/City"') WHERE id = ${id}::uuid`;
    expect(await h.read(id)).toMatchObject({ business_hours: { tz: 'Atlantis/City' } });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'dormant', started_at: null });
    await h.sql.$executeRaw`DELETE FROM campaigns WHERE id = ${id}::uuid`;
  });
});

describe('GET /v1/campaigns', () => {
  it('returns each campaign like a single read, newest first [campaigns.15]', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.body.pagination).toEqual({ total: 3, count: 3, next_cursor: null });
    expect(
      (answer.data as unknown as { campaign_id: string }[]).map(({ campaign_id }) => campaign_id),
    ).toEqual([...ids].reverse());
    expect(answer.data).toMatchObject({
      2: { agent_id: agentId, phone_number: expect.stringMatching(/^\+1415/), completed_calls: 0 },
    });
  });

  it('next_cursor is passed back as offset; past the end is 200 with [] [general.13] [general.14]', async () => {
    const first = await list('?limit=2');
    expect(first.body.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    const second = await list('?limit=2&offset=2');
    expect(second.body.pagination).toEqual({ total: 3, count: 1, next_cursor: null });
    const past = await list('?offset=50');
    expect([past.status, past.body]).toEqual([
      200,
      { success: true, data: [], pagination: { total: 3, count: 0, next_cursor: null } },
    ]);
  });

  it('returns 50 by default, and at most 100 [campaigns.15]', async () => {
    const workspaceId = '0189aaaa-0000-7000-8000-000000000003';
    const { agentId: agent_id, phoneNumber: phone_number } = h.furnish();
    const body = { campaign_name: 'One of many', agent_id, phone_number, contacts: h.contactsOf(1) };
    await h.send('POST', '/v1/campaigns', { body, workspaceId });
    // Copies by SQL: all have the same time, so that ids break the ties [general.16].
    await h.sql
      .$executeRaw`INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, status, total_contacts, max_retries,
         retry_intervals, created_at, updated_at)
       SELECT gen_random_uuid(), workspace_id, name, agent_id, phone_number_id, status, 1, 0, '{}', created_at, updated_at
       FROM campaigns, generate_series(1, 100) WHERE workspace_id = ${workspaceId}::uuid`;
    const page = (query: string) => h.send('GET', `/v1/campaigns${query}`, { workspaceId });
    expect((await page('')).body.pagination).toEqual({ total: 101, count: 50, next_cursor: '50' });
    expect((await page('?limit=100')).body.pagination).toEqual({
      total: 101,
      count: 100,
      next_cursor: '100',
    });
    const seen = [];
    for (const offset of [0, 50, 100])
      seen.push(...((await page(`?offset=${offset}`)).data as unknown as { campaign_id: string }[]));
    expect(new Set(seen.map(({ campaign_id }) => campaign_id)).size).toBe(101);
  });

  it('filters by status, assistant and a substring of the name, case-insensitively [campaigns.15]', async () => {
    expect(await names('?status=scheduled')).toEqual(['beta_2']);
    expect(await names(`?agent_id=${agentId}`)).toEqual(['Alpha 100% sure']);
    expect(await names('?search=ALPHA')).toEqual(['Alpha 100% sure']);
    expect(await names('?search=0%25')).toEqual(['Alpha 100% sure']);
    expect(await names('?search=%25a')).toEqual([]);
    expect(await names('?search=a_2')).toEqual(['beta_2']);
    expect(await names('?search=_')).toEqual(['beta_2']);
    expect(await names('?search=%5C')).toEqual(['Gamma back\\slash']);
    expect(await names('?search=nothing')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'limit=-1',
    'offset=-1',
    'offset=x',
    'status=unknown',
    'agent_id=x',
    'search=',
    'search=%00',
  ])('422 for %s', async (query) => {
    const answer = await list(`?${query}`);
    expect([answer.status, answer.body]).toMatchObject([422, { error: { code: 'VALIDATION_FAILED' } }]);
  });

  it('shows a workspace only its own campaigns [general.1]', async () => {
    const answer = await h.send('GET', '/v1/campaigns', { workspaceId: OTHER_WORKSPACE });
    expect(answer.body).toMatchObject({ data: [], pagination: { total: 0 } });
  });
});
