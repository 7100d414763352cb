import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { internalToken } from '@parley/testkit';
import { createHarness, type Harness, OTHER_WORKSPACE, SECRET, soon, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness({ jobs: false, consumers: false });
});
afterAll(() => h.close());

const ONE = [{ phone_number: '+12025550001' }];

function valid(more: Record<string, unknown> = {}): Record<string, unknown> {
  const { agentId, phoneNumber } = h.furnish();
  return { campaign_name: 'Spring', agent_id: agentId, phone_number: phoneNumber, contacts: ONE, ...more };
}
const post = (body: string | object, headers?: Record<string, string>) =>
  h.send('POST', '/v1/campaigns', { body, ...(headers ? { headers } : {}) });
const details = ({ body }: { body: Record<string, unknown> }) =>
  (body.error as { details: { path: string; code: string }[] }).details;
const code = ({ body }: { body: Record<string, unknown> }) => (body.error as { code: string }).code;
const count = async (table: string): Promise<number> => {
  const [row] = await h.sql.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM ${raw(table)}`;
  return row?.count ?? -1;
};

describe('POST /v1/campaigns', () => {
  it('201, a draft without scheduled_at [campaigns.1]', async () => {
    const answer = await post(valid());
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      data: {
        campaign_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        campaign_name: 'Spring',
        status: 'draft',
        total_contacts: 1,
        business_hours: null,
        scheduled_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
  });

  it('scheduled with scheduled_at, with Z or an offset [campaigns.1]', async () => {
    const business_hours = { tz: 'Europe/Rome', days: [1, 5], windows: [{ start: 0, end: 1440 }] };
    const body = valid({ scheduled_at: '2099-06-01T10:00:00+02:00', business_hours });
    const { data } = await post(body);
    expect(data).toMatchObject({
      status: 'scheduled',
      scheduled_at: '2099-06-01T08:00:00.000Z',
      business_hours,
    });
    expect(await h.read(String(data.campaign_id))).toMatchObject({ status: 'scheduled', business_hours });
  });

  it('streams: accepts the keys in any order, contacts first [general.22]', async () => {
    const { contacts, ...rest } = valid();
    const answer = await post({ contacts, ...rest });
    expect(answer.status).toBe(201);
    expect(await h.contacts(String(answer.data.campaign_id))).toHaveLength(1);
  });

  it('returns contacts as sent, in their order; missing ones read contact_name null and custom_data {} [campaigns.16] [campaigns.3]', async () => {
    const text = 'tab\t newline\n back\\slash "quotes" \\N ümlaut 🏔';
    const contacts = [
      {
        phone_number: '+12025550003',
        contact_name: text,
        custom_data: { [text]: [text, { deep: null }], n: 1.5 },
      },
      { phone_number: '+12025550001' },
      { phone_number: '+12025550001', contact_name: '', custom_data: {} },
    ];
    const answer = await post(valid({ contacts }));
    expect(await h.contacts(String(answer.data.campaign_id))).toEqual([
      expected('+12025550003', text, contacts[0]?.custom_data),
      expected('+12025550001', null, {}),
      expected('+12025550001', '', {}),
    ]);
  });

  it('treats __proto__, constructor and prototype as data [general.22]', async () => {
    const custom = '{"__proto__":{"polluted":1},"constructor":"c","prototype":[1]}';
    const body = JSON.stringify(valid({ contacts: 'HERE' })).replace(
      '"HERE"',
      `[{"phone_number":"+12025550001","custom_data":${custom}}]`,
    );
    const answer = await post(body.replace('{', '{"__proto__":{"campaign_name":"no"},'));
    expect(answer.status).toBe(201);
    const { body: read } = await h.send('GET', `/v1/campaigns/${answer.data.campaign_id}/contacts`);
    expect(JSON.stringify(read)).toContain(`"custom_data":${custom}`);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('the same number twice is dialed twice, unless skip_duplicates [campaigns.2] [campaigns.3]', async () => {
    const contacts = ['1', '2', '1', '3', '2'].map((n) => ({
      phone_number: `+1202555000${n}`,
      contact_name: n,
    }));
    expect((await post(valid({ contacts }))).data).toMatchObject({ total_contacts: 5 });
    const answer = await post(valid({ contacts, skip_duplicates: true }));
    expect(answer.data).toMatchObject({ total_contacts: 3 });
    const kept = await h.contacts(String(answer.data.campaign_id));
    expect(kept.map(({ contact_name }) => contact_name)).toEqual(['1', '2', '3']);
  });

  it.each([
    ['campaign_name', undefined, 'required'],
    ['campaign_name', '  ', 'too_small'],
    ['agent_id', 'x', 'invalid_format'],
    ['agent_id', undefined, 'required'],
    ['phone_number', '+0123456789', 'invalid_format'],
    ['contacts', undefined, 'required'],
    ['contacts', [], 'too_small'],
    ['contacts', 'x', 'invalid_type'],
    ['contacts', {}, 'invalid_type'],
    ['contacts', null, 'invalid_type'],
    ['max_retries', 11, 'too_big'],
    ['max_retries', 1.5, 'invalid_type'],
    ['retry_intervals', [], 'too_small'],
    ['retry_intervals.0', [0], 'too_small'],
    ['scheduled_at', 'tomorrow', 'invalid_format'],
    ['scheduled_at', '2099-06-01T10:00:00', 'invalid_format'],
    ['scheduled_at', '2020-06-01T10:00:00Z', 'too_small'],
    ['business_hours', [], 'invalid_type'],
    ['business_hours.tz', { tz: 'Mars/Base', days: [1], windows: [{ start: 0, end: 1 }] }, 'not_allowed'],
    ['business_hours.tz', { tz: '+01:00', days: [1], windows: [{ start: 0, end: 1 }] }, 'not_allowed'],
    ['business_hours.days', { tz: 'UTC', days: [], windows: [{ start: 0, end: 1 }] }, 'too_small'],
    ['business_hours.days.0', { tz: 'UTC', days: [8], windows: [{ start: 0, end: 1 }] }, 'too_big'],
    ['business_hours.windows', { tz: 'UTC', days: [1], windows: [] }, 'too_small'],
    [
      'business_hours.windows.0.end',
      { tz: 'UTC', days: [1], windows: [{ start: 60, end: 60 }] },
      'not_allowed',
    ],
    [
      'business_hours.windows.0.end',
      { tz: 'UTC', days: [1], windows: [{ start: 60, end: 1441 }] },
      'too_big',
    ],
    ['contacts.1.phone_number', [...ONE, { phone_number: '12025550001' }], 'invalid_format'],
    ['contacts.1.phone_number', [...ONE, {}], 'required'],
    ['contacts.0.custom_data', [{ ...ONE[0], custom_data: [1] }], 'invalid_type'],
    ['contacts.0.custom_data', [{ ...ONE[0], custom_data: { a: 'x'.repeat(15_360) } }], 'too_big'],
    ['contacts.0.contact_name', [{ ...ONE[0], contact_name: 'a\0b' }], 'invalid_format'],
  ])('422 VALIDATION_FAILED names %s of %j [campaigns.2] [campaigns.12]', async (path, value, reason) => {
    const [field = ''] = path.split('.');
    const answer = await post(valid({ [field]: value }));
    expect(answer.status).toBe(422);
    expect(code(answer)).toBe('VALIDATION_FAILED');
    expect(details(answer)[0]).toMatchObject({ path, code: reason });
  });

  it.each([
    '',
    '{',
    '[]',
    '"x"',
    'null',
    '{"contacts":[{}',
    '{"contacts":[{"phone_number":"+12025550001"},]}',
  ])('422 for a body that is not a JSON object: %j [general.8]', async (body) => {
    expect((await post(body)).status).toBe(422);
  });

  it('422 for repeated contacts, and for excessive nesting', async () => {
    const twice = `{"contacts":${JSON.stringify(ONE)},${JSON.stringify(valid()).slice(1)}`;
    expect(details(await post(twice))).toMatchObject([{ path: 'contacts' }]);
    const deep = `[{"phone_number":"+12025550001","custom_data":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}]`;
    const body = JSON.stringify(valid({ contacts: 'HERE' })).replace('"HERE"', deep);
    expect((await post(body)).status).toBe(422);
  });

  it('413 for a body over 1 GiB, as soon as its length is known [general.22]', async () => {
    const headers = {
      'content-length': String(1024 ** 3 + 1),
      [INTERNAL_TOKEN_HEADER]: internalToken(SECRET, 'campaigns', { workspaceId: WORKSPACE }),
    };
    const req = request(`${h.first.url}/v1/campaigns`, { method: 'POST', headers });
    req.on('error', () => {});
    const status = new Promise((resolve) => req.once('response', (res) => resolve(res.statusCode)));
    req.write('{');
    expect(await status).toBe(413);
    req.destroy();
  });

  it('404 AGENT_NOT_FOUND and PHONE_NOT_FOUND [campaigns.2]', async () => {
    const unknown = '0189aaaa-0000-7000-8000-00000000ffff';
    const agent = await post(valid({ agent_id: unknown }));
    expect([agent.status, code(agent)]).toEqual([404, 'AGENT_NOT_FOUND']);
    const phone = await post(valid({ phone_number: '+19995550000' }));
    expect([phone.status, code(phone)]).toEqual([404, 'PHONE_NOT_FOUND']);
  });

  it('503 while assistants is unavailable [general.8]', async () => {
    h.peers.mode.down = true;
    const answer = await post(valid());
    h.peers.mode.down = false;
    expect([answer.status, code(answer)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it('500 CREATE_FAILED and CONTACTS_INSERT_FAILED when the database fails; no error leaves part of a campaign [campaigns.2]', async () => {
    const before = [await count('campaigns'), await count('contacts')];
    for (const [table, expected] of [
      ['campaigns', 'CREATE_FAILED'],
      ['contacts', 'CONTACTS_INSERT_FAILED'],
    ] as const) {
      await h.sql.$executeRaw`ALTER TABLE ${raw(table)} ADD CONSTRAINT refuse CHECK (false) NOT VALID`;
      const answer = await post(valid());
      const large = await post(valid({ contacts: Array(30_000).fill(ONE[0]) }));
      await h.sql.$executeRaw`ALTER TABLE ${raw(table)} DROP CONSTRAINT refuse`;
      expect([answer.status, code(answer)]).toEqual([500, expected]);
      expect([large.status, code(large)]).toEqual([500, expected]);
    }
    expect([await count('campaigns'), await count('contacts')]).toEqual(before);
  });

  it('all or nothing: stores nothing of an upload with an error near its end, and reports the index of the contact [campaigns.2]', async () => {
    const before = await count('contacts');
    const contacts = [...Array(40_000).fill(ONE[0]), { phone_number: 'x' }];
    const answer = await post(valid({ contacts }));
    expect(details(answer)).toMatchObject([{ path: 'contacts.40000.phone_number' }]);
    expect((await post(valid({ contacts: Array(40_000).fill(ONE[0]), agent_id: 'x' }))).status).toBe(422);
    expect(await count('contacts')).toBe(before);
  });

  it('all or nothing: stores nothing when the client disconnects [campaigns.2]', async () => {
    const before = await count('contacts');
    const headers = {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      'idempotency-key': 'gone',
      [INTERNAL_TOKEN_HEADER]: internalToken(SECRET, 'campaigns', { workspaceId: WORKSPACE }),
    };
    const req = request(`${h.first.url}/v1/campaigns`, { method: 'POST', headers });
    req.on('error', () => {});
    const many = Array(40_000).fill(JSON.stringify(ONE[0])).join(',');
    await new Promise((resolve) => req.write(`{"contacts":[${many}`, resolve));
    const running = () => h.sql.$queryRaw<unknown[]>`SELECT 1 FROM idempotency_keys WHERE key = ${'gone'}`;
    await soon(async () => expect(await running()).toHaveLength(1));
    req.destroy();
    await soon(async () => expect(await running()).toHaveLength(0));
    expect(await count('contacts')).toBe(before);
  });

  it('replays an Idempotency-Key byte for byte, also with streamed contacts [general.20]', async () => {
    const body = JSON.stringify(valid({ contacts: h.contactsOf(9000) }));
    const before = await count('campaigns');
    const first = await post(body, { 'idempotency-key': 'spring' });
    const again = await post(body, { 'idempotency-key': 'spring' });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await post(valid(), { 'idempotency-key': 'spring' });
    expect([other.status, code(other)]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await count('campaigns')).toBe(before + 1);
  });

  it('releases the key of a failed request [general.20]', async () => {
    const headers = { 'idempotency-key': 'second-try' };
    expect((await post(valid({ max_retries: -1 }), headers)).status).toBe(422);
    expect((await post(valid(), headers)).status).toBe(201);
  });

  it('belongs to its workspace', async () => {
    const id = await h.create();
    expect((await h.send('GET', `/v1/campaigns/${id}`, { workspaceId: OTHER_WORKSPACE })).status).toBe(404);
  });
});

function expected(phone_number: string, contact_name: string | null, custom_data: unknown) {
  return {
    id: expect.any(String),
    phone_number,
    contact_name,
    custom_data,
    status: 'pending',
    attempts: 0,
    last_call_id: null,
    last_outcome: null,
    next_attempt_at: null,
  };
}
