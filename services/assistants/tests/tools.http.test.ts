import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CONNECTION_HEADERS, SIGNATURE_HEADERS, TOOL_REQUEST_HEADERS } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import { customTool, findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();
let agentId: string;

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());
beforeEach(async () => {
  agentId = (await service.addAssistant(workspace)).id;
});

const create = (fields: Json = {}, headers?: Record<string, string>) =>
  service.post(workspace, '/v1/tool/custom', { ...customTool(agentId), ...fields }, headers);
const list = (body: Json = {}) => service.post(workspace, '/v1/tool/list', { agent_id: agentId, ...body });
const assistant = async (): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${agentId}`)).body.data;

const parameters = {
  type: 'object',
  properties: { zip: { type: 'string' }, guests: { type: 'integer', minimum: 1 } },
  required: ['guests'],
};

describe('POST /v1/tool/custom', () => {
  it('answers 201 with every field, header values masked [tools.1]', async () => {
    const { status, body, text } = await create({
      tool_name: ' book_table ',
      description: 'Books a table.',
      endpoint_url: 'http://example.com/Book?x=1',
      http_method: 'get',
      headers: { 'X-Api-Key': 'top-secret', Authorization: 'Bearer hidden' },
      parameters,
      timeout_seconds: 12,
      tool_behavior: 'non_blocking',
      result_scheduling: 'silent',
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      agent_id: agentId,
      tool_name: 'book_table',
      description: 'Books a table.',
      is_native: false,
      endpoint_url: 'http://example.com/Book?x=1',
      http_method: 'GET',
      headers: { 'X-Api-Key': '********', Authorization: '********' },
      webhook_secret: null,
      parameters,
      timeout_seconds: 12,
      tool_behavior: 'non_blocking',
      result_scheduling: 'silent',
      sms_content_type: null,
      sms_static_message: null,
      telco_account_sid: null,
      telco_from_number: null,
      transfer_call_mode: null,
      transfer_call_destination: null,
      transfer_call_type: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
      updated_at: expect.stringMatching(/\.\d{6}\+00:00$/),
    });
    expect(text).not.toMatch(/top-secret|hidden/);
    const rows = await service.sql.$queryRaw<Json[]>`SELECT * FROM tools WHERE id = ${body.data.id}`;
    expect(JSON.stringify(rows)).not.toMatch(/top-secret|hidden/);
  });

  it('applies defaults to missing fields [tools.9] [tools.11]', async () => {
    const { body } = await create();
    expect(body.data).toMatchObject({
      description: null,
      headers: {},
      parameters: null,
      timeout_seconds: 30,
      tool_behavior: 'blocking',
      result_scheduling: null,
    });
  });

  it.each([null, {}])('treats the parameters %j as none', async (none) => {
    const { body } = await create({ parameters: none });
    expect(body.data.parameters).toEqual(none);
  });

  it('uses when_idle for a non_blocking tool without a result_scheduling', async () => {
    const { body } = await create({ tool_behavior: 'non_blocking' });
    expect(body.data.result_scheduling).toBe('when_idle');
  });

  it("appends its id to the assistant's toolIds, and publishes the change [tools.3]", async () => {
    const before = await assistant();
    const { body } = await create();
    const after = await assistant();
    expect(after.config).toEqual({ ...before.config, toolIds: [...before.config.toolIds, body.data.id] });
    expect(after.updated_at >= before.updated_at).toBe(true);
    await eventually(() => {
      const versions = service.bus
        .received('assistant.updated')
        .filter(({ data }) => data.agent_id === agentId);
      expect(versions.map(({ data }) => data.version)).toEqual([1, 2]);
    });
  });

  it('loses no id when tools are added concurrently', async () => {
    const added = await Promise.all([1, 2, 3, 4, 5].map((n) => create({ tool_name: `tool_${n}` })));
    expect(added.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const { config } = await assistant();
    expect(config.toolIds).toEqual(expect.arrayContaining(added.map(({ body }) => body.data.id)));
    expect(config.toolIds).toHaveLength(6);
  });

  it('answers 409 for a name that the assistant already uses, and does not change the assistant [tools.2]', async () => {
    await create();
    const before = await assistant();
    const { status, body } = await create();
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await assistant()).toEqual(before);
    const other = await service.addAssistant(workspace);
    expect((await create({ agent_id: other.id })).status).toBe(201);
  });

  it('answers 404 for an assistant that is missing or in another workspace', async () => {
    const foreign = await service.addAssistant(newWorkspace());
    for (const agent_id of [foreign.id, randomUUID()]) {
      const { status, body } = await create({ agent_id });
      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('replays the response for a repeated Idempotency-Key and creates one tool', async () => {
    const headers = { 'idempotency-key': `tool-${agentId}` };
    const first = await create({}, headers);
    const second = await create({}, headers);
    expect(second.text).toBe(first.text);
    expect((await list()).body.pagination.total).toBe(2);
  });

  it.each(['end_call', 'send_sms', 'transfer_call', 'report_voicemail'])(
    'refuses the reserved name %s',
    async (name) => {
      const answer = await create({ tool_name: name });
      expect(findings(answer)).toEqual(['tool_name not_allowed']);
      expect(answer.body.error.message).toContain('reserved');
    },
  );

  it.each<[string, Json]>([
    ['agent_id required', { agent_id: undefined }],
    ['agent_id invalid_format', { agent_id: 'nope' }],
    ['tool_name invalid_format', { tool_name: '1st' }],
    ['tool_name too_big', { tool_name: 'a'.repeat(65) }],
    ['tool_name required', { tool_name: undefined }],
    ['endpoint_url required', { endpoint_url: undefined }],
    ['endpoint_url invalid_format', { endpoint_url: 'ftp://example.com' }],
    ['endpoint_url invalid_format', { endpoint_url: 'http://127.0.0.1/x' }],
    ['endpoint_url invalid_format', { endpoint_url: 'http://[::ffff:10.0.0.1]/x' }],
    ['http_method not_allowed', { http_method: 'PUT' }],
    ['http_method required', { http_method: undefined }],
    ['timeout_seconds too_small', { timeout_seconds: 4 }],
    ['timeout_seconds too_big', { timeout_seconds: 301 }],
    ['timeout_seconds invalid_type', { timeout_seconds: 5.5 }],
    ['tool_behavior not_allowed', { tool_behavior: 'sometimes' }],
    ['result_scheduling not_allowed', { result_scheduling: 'silent' }],
    ['result_scheduling not_allowed', { tool_behavior: 'blocking', result_scheduling: 'when_idle' }],
    ['headers invalid_type', { headers: ['a'] }],
    ['headers.X-Key not_allowed', { headers: { 'X-Key': '********' } }],
    ['headers.X-Key invalid_type', { headers: { 'X-Key': 7 } }],
    ['headers.X-Key invalid_format', { headers: { 'X-Key': 'a\r\nHost: b' } }],
    ['headers.X Key invalid_format', { headers: { 'X Key': 'a' } }],
    ['headers.x-key not_allowed', { headers: { 'X-Key': 'a', 'x-key': 'b' } }],
    ['parameters invalid_type', { parameters: 'none' }],
    ['parameters.properties required', { parameters: { type: 'object' } }],
    ['parameters.properties.first-name invalid_format', { parameters: { properties: { 'first-name': {} } } }],
    ['parameters.required.0 not_allowed', { parameters: { properties: {}, required: ['zip'] } }],
    [
      'parameters.properties.a.items.anyOf not_allowed',
      { parameters: { properties: { a: { items: { anyOf: [] } } } } },
    ],
    ['parameters.$async not_allowed', { parameters: { $async: true, properties: {} } }],
    ['parameters.properties.a.type invalid_format', { parameters: { properties: { a: { type: 'text' } } } }],
  ])('refuses %s', async (finding, fields) => {
    const answer = await create(fields);
    expect(findings(answer)).toContain(finding);
    expect(answer.body.error.code).toBe('VALIDATION_FAILED');
    expect((await list()).body.pagination.total).toBe(1);
  });

  it('reports an empty name with a single error, and the field of a header without a name', async () => {
    expect(findings(await create({ tool_name: '' }))).toEqual(['tool_name too_small']);
    const { body } = await create({ headers: { '': 'a' } });
    expect(body.error.details).toEqual([
      { path: 'headers', code: 'invalid_format', message: 'headers must not have an empty name' },
    ]);
  });

  it.each([
    ...CONNECTION_HEADERS,
    ...SIGNATURE_HEADERS,
    ...TOOL_REQUEST_HEADERS,
    'x-parley-internal',
    'X-Parley-Any',
  ])('refuses the header %s, which cannot be sent', async (name) => {
    const sent = name.replace(/^[a-z]/, (letter) => letter.toUpperCase());
    const answer = await create({ headers: { [sent]: 'a', 'X-Key': 'b' } });
    expect(findings(answer)).toEqual([`headers.${sent} not_allowed`]);
    expect(answer.body.error.message).toMatch(new RegExp(`^headers.${sent} can't be sent: it .{10}`));
  });

  it('never repeats the value of a header that it refuses', async () => {
    const { text } = await create({ headers: { 'X-Key': 'top-secret\n' } });
    expect(text).not.toContain('top-secret');
  });
});

describe('GET /v1/tool/{id}', () => {
  it('answers like its creation', async () => {
    const created = await service.addTool(workspace, agentId, {
      headers: JSON.parse('{"X-Key":"a","__proto__":"b"}'),
    });
    const { status, body } = await service.get(workspace, `/v1/tool/${created.id}`);
    expect([status, body.data]).toEqual([200, created]);
  });

  it('answers 404 for a tool of another workspace, and 422 for an id that is not a UUID', async () => {
    const stranger = newWorkspace();
    const { id } = await service.addTool(stranger, (await service.addAssistant(stranger)).id);
    expect((await service.get(workspace, `/v1/tool/${id}`)).body.error.code).toBe('NOT_FOUND');
    expect(findings(await service.get(workspace, '/v1/tool/7'))).toEqual(['id invalid_format']);
  });
});

describe('POST /v1/tool/list', () => {
  const names = ({ body }: Json): string[] => body.data.map((tool: Json) => tool.tool_name);

  it('reads large pages in steps, with the same tools in the same order', async () => {
    const { id } = await service.addAssistant(workspace);
    const added: Json[] = [];
    for (let i = 0; i < 20; i += 1) {
      const description = i % 5 === 4 ? 'small' : '€'.repeat(10_000);
      const parameters = {
        type: 'object',
        properties: { a: { type: 'string', description: 'x'.repeat(i % 5 === 4 ? 10 : 30_000) } },
      };
      added.push(await service.addTool(workspace, id, { tool_name: `tool_${i}`, description, parameters }));
    }
    const { body } = await service.post(workspace, '/v1/tool/list', { agent_id: id, size: 15 });
    expect(body.data).toEqual(added.toReversed().slice(0, 15));
    expect(body.pagination).toEqual({ total: 21, count: 15, next_cursor: '2' });
  });

  it('returns both kinds, newest first, page by page [tools.4]', async () => {
    for (const tool_name of ['one', 'two']) await create({ tool_name });
    const first = await list({ size: 2 });
    expect(names(first)).toEqual(['two', 'one']);
    expect(first.body.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    const second = await list({ size: 2, page: 2 });
    expect(names(second)).toEqual(['end_call']);
    expect(second.body.pagination.next_cursor).toBeNull();
    expect((await list({ size: 2, page: 3 })).body.error.code).toBe('INTERNAL_ERROR');
  });

  it('searches the names as plain text, case-insensitively, and filters native tools', async () => {
    await create({ tool_name: 'Find_Doctor' });
    expect(names(await list({ search: 'find' }))).toEqual(['Find_Doctor']);
    expect(names(await list({ search: 'L' }))).toEqual(['end_call']);
    expect(names(await list({ is_native: true }))).toEqual(['end_call']);
  });

  it.each<[string, string[]]>([
    ['%', []],
    ['_', ['a_b', 'end_call']],
    ['\\', []],
    ['A_B', ['a_b']],
    ['.', []],
    ['a'.repeat(255), []],
  ])('treats the search %s as plain text', async (search, expected) => {
    for (const tool_name of ['ab', 'a_b']) await create({ tool_name });
    const answer = await list({ search });
    expect([answer.status, names(answer)]).toEqual([200, expected]);
  });

  it('answers 404 for an assistant that is missing or in another workspace', async () => {
    const foreign = await service.addAssistant(newWorkspace());
    for (const agent_id of [foreign.id, randomUUID()]) expect((await list({ agent_id })).status).toBe(404);
  });

  it.each<[string, Json]>([
    ['agent_id required', { agent_id: undefined }],
    ['agent_id invalid_format', { agent_id: 'nope' }],
    ['page too_small', { page: 0 }],
    ['size too_big', { size: 101 }],
    ['page too_big', { page: 2_147_483_648 }],
    ['page invalid_type', { page: '1' }],
    ['size too_small', { size: 0 }],
    ['size invalid_type', { size: 1.5 }],
    ['search too_small', { search: '' }],
    ['search invalid_type', { search: null }],
    ['search too_big', { search: 'a'.repeat(256) }],
    ['is_native not_allowed', { is_native: false }],
  ])('refuses %s', async (finding, body) => {
    expect(findings(await list(body))).toEqual([finding]);
  });
});
