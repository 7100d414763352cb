import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_WORKSPACE } from '@parley/kit/http';
import { eventually } from '@parley/testkit';
import { createNumberStore } from '../src/numbers/numbers.store.ts';
import { fillInTrunks } from '../src/numbers/trunks.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

const SID = `AC${'0123456789abcdef'.repeat(2)}`;
const MICROS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
const FIELDS = [
  'id',
  'workspace_id',
  'phone_number',
  'nickname',
  'provider',
  'is_active',
  'max_cps',
  'inbound_agent_id',
  'outbound_agent_id',
  'inbound_webhook_url',
  'inbound_agent_name',
  'outbound_agent_name',
  'trunk',
  'created_at',
  'updated_at',
];

let harness: Harness;
const workspace = newWorkspace();
const other = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const post = (path: string, body: unknown, of = workspace) => harness.ask(of, 'POST', path, { body });
const put = (id: string, body: unknown, of = workspace) =>
  harness.ask(of, 'PUT', `/v1/phone-number/${id}`, { body });
const sip = (extra: object = {}, of = workspace) =>
  post(
    '/v1/phone-number/sip',
    { phone_number: anyNumber(), termination_uri: 'sip.example.com', ...extra },
    of,
  );
const telco = (extra: object = {}, of = workspace) =>
  post(
    '/v1/phone-number/telco',
    { phone_number: anyNumber(), telco_account_sid: SID, telco_auth_token: 'secret-token', ...extra },
    of,
  );
const refusal = (path: string, code: string) => ({
  success: false,
  error: {
    code: 'VALIDATION_FAILED',
    message: expect.stringContaining(path),
    details: expect.arrayContaining([{ path, code, message: expect.any(String) }]),
  },
});

describe('POST /v1/phone-number/sip', () => {
  it('[numbers.2] answers 201 with the phone number object and its defaults', async () => {
    const phone_number = anyNumber();
    const { status, body } = await sip({ phone_number });
    expect(status).toBe(201);
    expect(Object.keys(body.data).sort()).toEqual([...FIELDS].sort());
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        workspace_id: workspace,
        phone_number,
        nickname: null,
        provider: 'hosted_sip',
        is_active: true,
        max_cps: 1,
        inbound_agent_id: null,
        outbound_agent_id: null,
        inbound_webhook_url: null,
        inbound_agent_name: null,
        outbound_agent_name: null,
        trunk: null,
        created_at: expect.stringMatching(MICROS),
        updated_at: expect.stringMatching(MICROS),
      },
    });
  });

  it('accepts every field, and returns the names of its assistants', async () => {
    const inbound = harness.peers.addAgent(workspace, { agent_name: 'Grace' });
    const outbound = harness.peers.addAgent(workspace, { agent_name: 'Joan' });
    const { status, body } = await sip({
      termination_uri: 'trunk-1.example.com:5061',
      transport: 'tls',
      sip_trunk_auth_username: 'trunk-user',
      sip_trunk_auth_password: 'trunk-password',
      nickname: 'Front desk',
      inbound_agent_id: inbound.agent_id,
      outbound_agent_id: outbound.agent_id.toUpperCase(),
      max_cps: 0.1,
      inbound_webhook_url: 'https://example.com/inbound',
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      nickname: 'Front desk',
      inbound_agent_id: inbound.agent_id,
      inbound_agent_name: 'Grace',
      outbound_agent_id: outbound.agent_id,
      outbound_agent_name: 'Joan',
      max_cps: 0.1,
      inbound_webhook_url: 'https://example.com/inbound',
    });
  });

  it('[numbers.6] never returns the trunk, and stores it sealed', async () => {
    const { body, text } = await sip({
      termination_uri: 'hidden.example.com',
      sip_trunk_auth_username: 'hidden-user',
      sip_trunk_auth_password: 'hidden-password',
    });
    const read = await harness.ask(workspace, 'GET', `/v1/phone-number/${body.data.id}`);
    const rows = await harness.sql.$queryRaw<
      Json[]
    >`SELECT * FROM phone_numbers WHERE id = ${body.data.id}::uuid`;
    expect(text + read.text + JSON.stringify(rows)).not.toMatch(/hidden/);
    const opened = harness.context.secrets.open(rows[0].secrets, `phone_numbers:secrets:${body.data.id}`);
    expect(JSON.parse(opened)).toEqual({
      termination_uri: 'hidden.example.com',
      transport: 'udp',
      username: 'hidden-user',
      password: 'hidden-password',
    });
  });

  it('publishes phone-number.updated, version 1', async () => {
    const { body } = await sip();
    const message = await eventually(() => {
      const found = harness.bus
        .received('phone-number.updated')
        .find(({ data }) => data.phone_number_id === body.data.id);
      expect(found).toBeDefined();
      return found;
    });
    expect(message).toMatchObject({
      workspace_id: workspace,
      data: { version: 1, phone_number: body.data.phone_number, is_active: true, inbound_agent_id: null },
    });
  });

  it.each([
    ['phone_number', '+0123456789', 'invalid_format'],
    ['phone_number', '4155550123', 'invalid_format'],
    ['phone_number', '+123456', 'invalid_format'],
    ['phone_number', undefined, 'required'],
    ['termination_uri', 'sip:sip.example.com', 'invalid_format'],
    ['termination_uri', 'sip.example.com:0', 'invalid_format'],
    ['termination_uri', 'sip.example.com:65536', 'invalid_format'],
    ['termination_uri', 'sip..example.com', 'invalid_format'],
    ['termination_uri', '', 'invalid_format'],
    ['termination_uri', undefined, 'required'],
    ['transport', 'sctp', 'not_allowed'],
    ['nickname', 'x'.repeat(101), 'too_big'],
    ['max_cps', 0.09, 'too_small'],
    ['max_cps', '1', 'invalid_type'],
    ['inbound_agent_id', 'nobody', 'invalid_format'],
    ['inbound_webhook_url', 'http://example.com/', 'invalid_format'],
    ['inbound_webhook_url', 'https://169.254.169.254/', 'invalid_format'],
  ])('is 422 for %s = %p [general.4] [numbers.7]', async (path, value, code) => {
    const { status, body } = await sip({ [path]: value });
    expect(status).toBe(422);
    expect(body).toEqual(refusal(path, code));
  });

  it('is 422 for a webhook URL of more than 2,048 characters', async () => {
    const long = (length: number) => `https://example.com/${'x'.repeat(length - 20)}`;
    expect((await sip({ inbound_webhook_url: long(2048) })).status).toBe(201);
    const { status, body } = await sip({ inbound_webhook_url: long(2049) });
    expect(status).toBe(422);
    expect(body).toEqual(refusal('inbound_webhook_url', 'too_big'));
  });

  it.each([
    ['sip_trunk_auth_username', 'sip_trunk_auth_password'],
    ['sip_trunk_auth_password', 'sip_trunk_auth_username'],
  ])('is 422 for %s without its counterpart', async (sent, missing) => {
    const { status, body } = await sip({ [sent]: 'something' });
    expect(status).toBe(422);
    expect(body).toEqual(refusal(missing, 'required'));
  });

  it('[numbers.8] is 422 for an assistant of another workspace', async () => {
    const foreign = harness.peers.addAgent(other);
    for (const path of ['inbound_agent_id', 'outbound_agent_id']) {
      for (const id of [foreign.agent_id, randomUUID()]) {
        const { status, body } = await sip({ [path]: id });
        expect(status).toBe(422);
        expect(body).toEqual(refusal(path, 'unknown_id'));
      }
    }
  });

  it('says how to write an international name of a trunk', async () => {
    const { body } = await sip({ termination_uri: 'sip.café.example' });
    expect(body.error.message).toContain('xn--');
    expect((await sip({ termination_uri: 'sip.xn--caf-dma.example' })).status).toBe(201);
  });

  it.each(['127.0.0.1', '10.0.0.5:5060', '169.254.169.254', 'localhost', '[::1]', '127.1'])(
    'is 422 for a trunk at %s, which is not public',
    async (termination_uri) => {
      const { status, body } = await sip({ termination_uri });
      expect([status, body]).toEqual([422, refusal('termination_uri', 'invalid_format')]);
    },
  );

  describe('[numbers.4] a number belongs to one workspace on each trunk', () => {
    const trunk = {
      termination_uri: 'sip.carrier.net',
      sip_trunk_auth_username: 'acme',
      sip_trunk_auth_password: 'p',
    };
    const statusOf = async (fields: Json, asker = workspace) => (await sip(fields, asker)).status;

    it('409 for a number that the workspace already has, on any trunk', async () => {
      const phone_number = anyNumber();
      expect(await statusOf({ phone_number })).toBe(201);
      for (const fields of [{}, trunk]) expect(await statusOf({ phone_number, ...fields })).toBe(409);
      expect((await telco({ phone_number })).status).toBe(409);
    });

    it('409 for another workspace on the same trunk, without revealing the owner', async () => {
      const phone_number = anyNumber();
      expect(await statusOf({ phone_number, ...trunk })).toBe(201);
      const spelled = { ...trunk, termination_uri: 'SIP.Carrier.net:5080' };
      const { status, body, text } = await sip({ phone_number, ...spelled }, other);
      expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
      expect(text).not.toContain(workspace);
      const account = anyNumber();
      expect((await telco({ phone_number: account })).status).toBe(201);
      expect((await telco({ phone_number: account }, other)).status).toBe(409);
    });

    it('201 for another workspace on another trunk; the simulated carrier is one trunk per workspace', async () => {
      const phone_number = anyNumber();
      expect(await statusOf({ phone_number, ...trunk })).toBe(201);
      expect(await statusOf({ phone_number, ...trunk, sip_trunk_auth_username: 'b' }, other)).toBe(201);
      expect(await statusOf({ phone_number }, newWorkspace())).toBe(201);
      expect(await statusOf({ phone_number }, newWorkspace())).toBe(201);
    });

    it('one of many simultaneous requests succeeds', async () => {
      const phone_number = anyNumber();
      const askers = [workspace, other, workspace, other, newWorkspace()];
      const statuses = await Promise.all(askers.map((asker) => statusOf({ phone_number, ...trunk }, asker)));
      expect(statuses.sort()).toEqual([201, 409, 409, 409, 409]);
    });

    it('422 beyond the maximum of a workspace, which the operator sets [trust.1]', async () => {
      const { url } = await harness.boot({ PHONE_NUMBERS_PER_WORKSPACE: '2' });
      const [of, elsewhere] = [newWorkspace(), newWorkspace()];
      const add = (path: string, body: object, to = of) =>
        harness.ask(to, 'POST', path, { url, body: { phone_number: anyNumber(), ...body } });
      const addSip = (to = of) => add('/v1/phone-number/sip', { termination_uri: 'sip.example.com' }, to);
      expect([(await addSip()).status, (await addSip()).status]).toEqual([201, 201]);
      const account = { telco_account_sid: SID, telco_auth_token: 'secret-token' };
      for (const { status, body } of [await addSip(), await add('/v1/phone-number/telco', account)]) {
        expect([status, body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
        expect(body.error.details).toEqual([
          {
            path: 'phone_number',
            code: 'too_big',
            message: 'phone_number is one too many: a workspace has at most 2 (PHONE_NUMBERS_PER_WORKSPACE)',
          },
        ]);
      }
      expect((await addSip(elsewhere)).status).toBe(201);
    });

    it('a number without a recorded trunk is not shared until its trunk is filled in', async () => {
      const phone_number = anyNumber();
      const { id } = (await sip({ phone_number, ...trunk })).body.data;
      await harness.sql.$executeRaw`UPDATE phone_numbers SET trunk = NULL WHERE id = ${id}::uuid`;
      expect(await statusOf({ phone_number }, other)).toBe(409);
      const { log, secrets, prisma } = harness.context;
      await fillInTrunks({ log, secrets, numbers: createNumberStore(prisma) });
      expect(await statusOf({ phone_number, ...trunk }, other)).toBe(409);
      expect(await statusOf({ phone_number }, other)).toBe(201);
    });
  });

  it('[general.20] replays the response for a repeated Idempotency-Key', async () => {
    const body = { phone_number: anyNumber(), termination_uri: 'sip.example.com' };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await harness.ask(workspace, 'POST', '/v1/phone-number/sip', { body, headers });
    const second = await harness.ask(workspace, 'POST', '/v1/phone-number/sip', { body, headers });
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('POST /v1/phone-number/telco', () => {
  it('[numbers.3] answers 201 with provider telco once the carrier accepts the account', async () => {
    const { status, body } = await telco({ nickname: 'Imported' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      provider: 'telco',
      nickname: 'Imported',
      is_active: true,
      max_cps: 1,
      inbound_webhook_url: null,
    });
    expect(Object.keys(body.data).sort()).toEqual([...FIELDS].sort());
  });

  it('[numbers.6] never returns the credentials', async () => {
    const { text } = await telco({ telco_auth_token: 'hidden-token' });
    expect(text).not.toContain('hidden-token');
    expect(text).not.toContain(SID);
  });

  it.each([
    ['a token of 32 zeros', { telco_auth_token: '0'.repeat(32) }],
    ['an account that does not look like one', { telco_account_sid: 'AC123' }],
  ])('is 422 when the carrier refuses %s', async (_, credentials) => {
    const { status, body } = await telco(credentials);
    expect(status).toBe(422);
    expect(body).toEqual(refusal('telco_account_sid', 'not_allowed'));
  });

  it('is 502 CARRIER_ERROR when the carrier does not respond, and stores nothing', async () => {
    const phone_number = anyNumber();
    const { status, body } = await telco({ phone_number, telco_auth_token: 'f'.repeat(32) });
    expect(status).toBe(502);
    expect(body.error.code).toBe('CARRIER_ERROR');
    expect((await telco({ phone_number })).status).toBe(201);
  });

  it.each(['phone_number', 'telco_account_sid', 'telco_auth_token'])('is 422 without %s', async (path) => {
    const { status, body } = await telco({ [path]: undefined });
    expect(status).toBe(422);
    expect(body).toEqual(refusal(path, 'required'));
  });

  it('[numbers.8] is 422 for an assistant of another workspace', async () => {
    for (const path of ['inbound_agent_id', 'outbound_agent_id']) {
      const { status, body } = await telco({ [path]: harness.peers.addAgent(other).agent_id });
      expect(status).toBe(422);
      expect(body).toEqual(refusal(path, 'unknown_id'));
    }
  });

  it('[general.20] replays the response for a repeated Idempotency-Key', async () => {
    const body = { phone_number: anyNumber(), telco_account_sid: SID, telco_auth_token: 'secret-token' };
    const headers = { 'idempotency-key': randomUUID() };
    const ask = () => harness.ask(workspace, 'POST', '/v1/phone-number/telco', { body, headers });
    const first = await ask();
    const second = await ask();
    expect([first.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is 409 for a number that is connected over SIP', async () => {
    const phone_number = anyNumber();
    await sip({ phone_number });
    expect((await telco({ phone_number })).status).toBe(409);
  });
});

describe('GET /v1/phone-number/{id}', () => {
  it('answers 200 with the created number', async () => {
    const created = await sip({ nickname: 'Desk' });
    const read = await harness.ask(workspace, 'GET', `/v1/phone-number/${created.body.data.id}`);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(created.body);
  });

  it('answers a number of another workspace exactly like an unknown one', async () => {
    const { body } = await sip({}, other);
    const foreign = await harness.ask(workspace, 'GET', `/v1/phone-number/${body.data.id}`);
    const missing = await harness.ask(workspace, 'GET', `/v1/phone-number/${randomUUID()}`);
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(missing.text);
    expect(foreign.body.error.code).toBe('NOT_FOUND');
  });

  it('is 422 for an id that is not a UUID', async () => {
    const { status, body } = await harness.ask(workspace, 'GET', '/v1/phone-number/12');
    expect(status).toBe(422);
    expect(body).toEqual(refusal('id', 'invalid_format'));
  });

  it('is 401 without an internal token and 403 for a public key', async () => {
    const path = `/v1/phone-number/${randomUUID()}`;
    expect((await harness.ask(workspace, 'GET', path, { token: false })).status).toBe(401);
    const actor = { kind: 'public_key', id: randomUUID() } as const;
    expect((await harness.ask(workspace, 'GET', path, { actor })).status).toBe(403);
  });
});

describe('POST /v1/phone-number/list', () => {
  const shelf = newWorkspace();
  const list = (body: object) => post('/v1/phone-number/list', body, shelf);
  const created: Json[] = [];

  beforeAll(async () => {
    for (const nickname of ['Sales 100%', 'Support_1', null, 'sales, night']) {
      created.unshift((await sip({ nickname }, shelf)).body.data);
    }
  });

  it('[numbers.1] is newest first, 10 a page', async () => {
    const { status, body } = await list({});
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: created,
      pagination: { total: 4, count: 4, next_cursor: null },
    });
  });

  it('[general.14] next_cursor leads through the pages', async () => {
    const first = await list({ size: 3 });
    expect(first.body.pagination).toEqual({ total: 4, count: 3, next_cursor: '2' });
    const second = await list({ size: 3, page: Number(first.body.pagination.next_cursor) });
    expect(second.body.pagination).toEqual({ total: 4, count: 1, next_cursor: null });
    expect([...first.body.data, ...second.body.data]).toEqual(created);
  });

  it.each([
    ['SALES', 2],
    ['100%', 1],
    ['_', 1],
    ['%', 1],
    ['\\', 0],
  ])('finds a substring of the nickname as plain text, case-insensitively: %s', async (search, total) => {
    expect((await list({ search })).body.pagination.total).toBe(total);
  });

  it('finds a substring of the number', async () => {
    const [newest] = created;
    const { body } = await list({ search: newest.phone_number.slice(2, 9) });
    expect(body.data).toEqual([newest]);
  });

  it('[general.13] is 500 INTERNAL_ERROR past the last page, every time', async () => {
    for (const page of [2, 2, 2_147_483_647]) {
      const { status, body } = await list({ page });
      expect(status).toBe(500);
      expect(body.error.code).toBe('INTERNAL_ERROR');
    }
  });

  it('is 200 with an empty page 1 of an empty list', async () => {
    const { status, body } = await post('/v1/phone-number/list', {}, newWorkspace());
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: [], pagination: { total: 0, count: 0, next_cursor: null } });
  });

  it.each([
    ['page', 0],
    ['page', 1.5],
    ['size', 0],
    ['size', 101],
    ['size', '10'],
    ['search', ''],
  ])('is 422 for %s = %p', async (path, value) => {
    const { status, body } = await list({ [path]: value });
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe(path);
  });
});

describe('PUT /v1/phone-number/{id}', () => {
  const number = async (extra: object = {}) => (await sip(extra)).body.data;

  it('[numbers.8] changes the fields that are present', async () => {
    const agent = harness.peers.addAgent(workspace, { agent_name: 'Mary' });
    const before = await number({ nickname: 'Keep', inbound_webhook_url: 'https://example.com/keep' });
    const { status, body } = await put(before.id, { outbound_agent_id: agent.agent_id, max_cps: 2.5 });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...before,
      outbound_agent_id: agent.agent_id,
      outbound_agent_name: 'Mary',
      max_cps: 2.5,
      updated_at: expect.stringMatching(MICROS),
    });
    const read = await harness.ask(workspace, 'GET', `/v1/phone-number/${before.id}`);
    expect(read.body.data).toEqual(body.data);
  });

  it('unassigns an assistant with null', async () => {
    const agent = harness.peers.addAgent(workspace);
    const before = await number({ inbound_agent_id: agent.agent_id, outbound_agent_id: agent.agent_id });
    const { body } = await put(before.id, { inbound_agent_id: null });
    expect(body.data).toMatchObject({
      inbound_agent_id: null,
      inbound_agent_name: null,
      outbound_agent_id: agent.agent_id,
      outbound_agent_name: 'Ada',
    });
  });

  it.each([null, ''])('[numbers.7] disables the webhook with %p', async (inbound_webhook_url) => {
    const before = await number({ inbound_webhook_url: 'https://example.com/on' });
    const { status, body } = await put(before.id, { inbound_webhook_url });
    expect(status).toBe(200);
    expect(body.data.inbound_webhook_url).toBeNull();
  });

  it('ignores number, nickname, carrier and credentials', async () => {
    const before = await number({ nickname: 'Old' });
    const foreign = { phone_number: anyNumber(), nickname: 'New', provider: 'telco', is_active: false };
    const { status, body } = await put(before.id, { ...foreign, max_cps: 3 });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, max_cps: 3, updated_at: expect.any(String) });
  });

  it.each([{}, { nickname: 'New' }])('is 422 for a body with nothing to change: %p', async (body) => {
    const { id } = await number();
    const answer = await put(id, body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.code).toBe('VALIDATION_FAILED');
  });

  it.each([
    ['max_cps', 0.05],
    ['max_cps', null],
    ['inbound_webhook_url', 'http://example.com/'],
    ['inbound_webhook_url', 'https://192.168.0.1/'],
    ['outbound_agent_id', 'nobody'],
  ])('is 422 for %s = %p, and nothing changes', async (path, value) => {
    const before = await number();
    const { status, body } = await put(before.id, { inbound_agent_id: null, [path]: value });
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe(path);
    const read = await harness.ask(workspace, 'GET', `/v1/phone-number/${before.id}`);
    expect(read.body.data).toEqual(before);
  });

  it('[numbers.8] is 422 for an assistant of another workspace', async () => {
    const { id } = await number();
    const foreign = harness.peers.addAgent(other);
    const { status, body } = await put(id, { inbound_agent_id: foreign.agent_id });
    expect(status).toBe(422);
    expect(body).toEqual(refusal('inbound_agent_id', 'unknown_id'));
  });

  it('is 422 for the webhook URL of an imported number', async () => {
    const imported = (await telco()).body.data;
    const refused = await put(imported.id, { inbound_webhook_url: 'https://example.com/' });
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(refusal('inbound_webhook_url', 'not_allowed'));
    expect((await put(imported.id, { inbound_webhook_url: null })).status).toBe(200);
  });

  it('is 404 for a number of another workspace, and 422 for a malformed id', async () => {
    const { id } = (await sip({}, other)).body.data;
    expect((await put(id, { max_cps: 2 })).status).toBe(404);
    expect((await put(randomUUID(), { max_cps: 2 })).status).toBe(404);
    expect((await put('12', { max_cps: 2 })).status).toBe(422);
  });

  it('publishes phone-number.updated with a higher version for every change, including concurrent ones', async () => {
    const { id } = await number();
    await Promise.all([2, 3, 4].map((max_cps) => put(id, { max_cps })));
    await eventually(() => {
      const versions = harness.bus
        .received('phone-number.updated')
        .filter(({ data }) => data.phone_number_id === id)
        .map(({ data }) => data.version);
      expect(versions.sort()).toEqual([1, 2, 3, 4]);
    });
  });
});

describe('[trust.17] the audit log', () => {
  it('records each change once, with the operator as the actor', async () => {
    const { id, phone_number } = (await sip({})).body.data;
    await put(id, { max_cps: 4 });
    await put(id, { max_cps: 4 });
    const operator = { kind: 'operator' as const, id: 'ada' };
    const path = `/internal/phone-numbers/${id}/activation`;
    await harness.ask(NO_WORKSPACE, 'PUT', path, { body: { is_active: false }, actor: operator });
    expect((await harness.ask(workspace, 'DELETE', `/v1/phone-number/${id}`)).status).toBe(204);
    await eventually(() => {
      const heard = harness.bus.received('audit.recorded').filter(({ data }) => data.target.id === id);
      expect(heard.map(({ data }) => [data.action, data.actor.kind, data.changes])).toEqual([
        [
          'phone_number.connected',
          'key',
          expect.objectContaining({ credentials: { to: '********' }, provider: { to: 'hosted_sip' } }),
        ],
        ['phone_number.updated', 'key', { max_cps: { from: 1, to: 4 } }],
        ['phone_number.updated', 'operator', { is_active: { from: true, to: false } }],
        ['phone_number.deleted', 'key', {}],
      ]);
      expect(heard.map(({ workspace_id }) => workspace_id)).toEqual(Array(4).fill(workspace));
      expect(heard[0]?.data.target).toEqual({ type: 'phone_number', id, name: phone_number });
    });
  });
});

describe('while assistants is unavailable', () => {
  afterAll(() => harness.peers.assistants.restore());

  it('accepts an assistant that it has a copy of, and answers 503 for any other', async () => {
    const known = harness.peers.addAgent(workspace);
    const { id } = (await sip({ inbound_agent_id: known.agent_id })).body.data;
    harness.peers.assistants.cut();
    expect((await put(id, { outbound_agent_id: known.agent_id })).status).toBe(200);
    const unknown = await put(id, { outbound_agent_id: randomUUID() });
    expect(unknown.status).toBe(503);
    expect(unknown.headers.get('retry-after')).not.toBeNull();
    expect((await put(id, { max_cps: 2 })).status).toBe(200);
  });
});
