import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { headersPlace } from '../src/tools/tool-headers.ts';
import { findings, type Harness, type HttpAnswer, type Json, newWorkspace, startHarness } from './harness.ts';

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

const add = (fields: Json = {}): Promise<Json> => service.addTool(workspace, agentId, fields);
const change = (id: string, body: unknown): Promise<HttpAnswer> =>
  service.put(workspace, `/v1/tool/custom/${id}`, body);
const read = async (id: string): Promise<Json> => (await service.get(workspace, `/v1/tool/${id}`)).body.data;
const assistant = async (): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${agentId}`)).body.data;
/** As a call receives it: with decrypted secrets. */
const opened = async (id: string): Promise<Json> => {
  const { body } = await service.callAsService(workspace, 'GET', `/internal/assistants/${agentId}/snapshot`);
  return body.data.snapshot.tools.find((tool: Json) => tool.id === id);
};

describe('PUT /v1/tool/custom/{id}', () => {
  const everything = {
    tool_name: ' find_table ',
    description: 'Finds a table.',
    endpoint_url: 'https://example.com/Find?x=1',
    http_method: 'get',
    headers: { 'X-Key': 'secret' },
    parameters: { type: 'object', properties: { zip: { type: 'string' } } },
    timeout_seconds: 300,
    tool_behavior: 'non_blocking',
    result_scheduling: 'silent',
  };

  it('refuses a header that cannot be sent, and keeps a stored one that was accepted earlier', async () => {
    const { id } = await add({ headers: { 'X-Key': 'secret' } });
    expect(findings(await change(id, { headers: { 'content-length': '7' } }))).toEqual([
      'headers.content-length not_allowed',
    ]);
    const old = { Host: 'inner', 'X-Key': 'secret' };
    const sealed = service.context.secrets.seal(JSON.stringify(old), headersPlace(id));
    await service.sql
      .$executeRaw`UPDATE tools SET headers = ${sealed}, header_names = ${Object.keys(old)}::text[] WHERE id = ${id}::uuid`;
    const { status, body } = await change(id, { description: 'New' });
    expect([status, body.data.headers]).toEqual([200, { Host: '********', 'X-Key': '********' }]);
    expect((await opened(id)).headers).toEqual(old);
    expect(findings(await change(id, { headers: body.data.headers }))).toEqual(['headers.Host not_allowed']);
  });

  it('answers 200 with the whole object, as later reads return it', async () => {
    const before = await add();
    const { status, body } = await change(before.id, everything);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        ...before,
        ...everything,
        tool_name: 'find_table',
        http_method: 'GET',
        headers: { 'X-Key': '********' },
        updated_at: expect.stringMatching(/\.\d{6}\+00:00$/),
      },
    });
    expect(body.data.updated_at > before.updated_at).toBe(true);
    expect(await read(before.id)).toEqual(body.data);
  });

  it.each(Object.entries(everything))('changes only the field that was sent: %s', async (name, value) => {
    const before = await add({ tool_behavior: 'non_blocking', headers: { 'X-Key': 'old' } });
    const { status, body } = await change(before.id, { [name]: value });
    expect(status).toBe(200);
    const { [name]: changed, updated_at: _, ...others } = body.data;
    const { [name]: __, updated_at: ___, ...kept } = before;
    expect(others).toEqual(kept);
    expect(changed).toEqual(answered(name, value));
  });

  const answered = (name: string, value: unknown): unknown =>
    ({ tool_name: 'find_table', http_method: 'GET', headers: { 'X-Key': '********' } })[name] ?? value;

  it.each<[string, Json]>([
    ['nothing', {}],
    ["another kind's fields", { transfer_call_mode: 'static', sms_content_type: 'static' }],
    ['agent_id alone', { agent_id: randomUUID() }],
    ['fields that nobody knows', { id: randomUUID(), is_native: true, note: 'x' }],
  ])('answers 422 to a body with none of its fields: %s', async (_words, body) => {
    const tool = await add();
    const answer = await change(tool.id, body);
    expect(findings(answer)).toEqual([' required']);
    expect(answer.body.error.message).toContain('tool_name');
  });

  it('ignores agent_id and fields of other kinds, whatever their values', async () => {
    const tool = await add();
    const other = await service.addAssistant(workspace);
    const { status, body } = await change(tool.id, {
      description: 'New',
      agent_id: other.id,
      is_native: true,
      telco_account_sid: 7,
      transfer_call_destination: 'the office',
    });
    expect([status, body.data]).toEqual([
      200,
      { ...tool, description: 'New', updated_at: expect.any(String) },
    ]);
  });

  it.each<[string, Json]>([
    ['tool_name invalid_format', { tool_name: '1st' }],
    ['tool_name too_small', { tool_name: '  ' }],
    ['tool_name too_big', { tool_name: 'a'.repeat(65) }],
    ['tool_name invalid_type', { tool_name: null }],
    ['tool_name not_allowed', { tool_name: 'end_call' }],
    ['tool_name not_allowed', { tool_name: 'report_voicemail' }],
    ['description invalid_type', { description: 7 }],
    ['endpoint_url invalid_format', { endpoint_url: 'ftp://example.com' }],
    ['endpoint_url invalid_format', { endpoint_url: 'http://10.0.0.1/x' }],
    ['endpoint_url invalid_type', { endpoint_url: null }],
    ['http_method not_allowed', { http_method: 'PUT' }],
    ['headers invalid_type', { headers: ['a'] }],
    ['headers.X-Key invalid_type', { headers: { 'X-Key': null } }],
    ['headers.X Key invalid_format', { headers: { 'X Key': 'a' } }],
    ['headers.x-key not_allowed', { headers: { 'X-Key': 'a', 'x-key': 'b' } }],
    ['parameters.properties required', { parameters: { type: 'object' } }],
    ['parameters.properties.a.oneOf not_allowed', { parameters: { properties: { a: { oneOf: [] } } } }],
    ['timeout_seconds too_small', { timeout_seconds: 4 }],
    ['timeout_seconds too_big', { timeout_seconds: 301 }],
    ['timeout_seconds invalid_type', { timeout_seconds: 30.5 }],
    ['tool_behavior not_allowed', { tool_behavior: 'sometimes' }],
    ['result_scheduling not_allowed', { tool_behavior: 'non_blocking', result_scheduling: 'later' }],
  ])('refuses %s and changes nothing', async (finding, body) => {
    const tool = await add();
    const before = await assistant();
    const answer = await change(tool.id, { description: 'New', ...body });
    expect(findings(answer)[0]).toBe(finding);
    expect(answer.body.error.message).toContain(finding.split(' ')[0]);
    expect(await read(tool.id)).toEqual(tool);
    expect(await assistant()).toEqual(before);
  });

  it.each<[string, Json, unknown]>([
    ['description', null, null],
    ['parameters', null, null],
    ['parameters', {}, {}],
    ['tool_behavior', null, null],
  ])('accepts %s: %j', async (name, value, expected) => {
    const tool = await add({ description: 'Old', parameters: { properties: {} } });
    const { status, body } = await change(tool.id, { [name]: value });
    expect([status, body.data[name]]).toEqual([200, expected]);
  });

  it("answers 409 for a name that the assistant already uses, and accepts the tool's own", async () => {
    const tool = await add();
    await add({ tool_name: 'taken' });
    const { status, body } = await change(tool.id, { tool_name: 'taken', description: 'New' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await read(tool.id)).toEqual(tool);
    expect((await change(tool.id, { tool_name: tool.tool_name })).status).toBe(200);
    // Names are case-sensitive, as for the model.
    expect((await change(tool.id, { tool_name: 'Taken' })).status).toBe(200);
  });

  it('answers 404 alike for a native tool and one that is missing, deleted or in another workspace', async () => {
    const native = (await assistant()).config.toolIds[0];
    const stranger = newWorkspace();
    const foreign = await service.addTool(stranger, (await service.addAssistant(stranger)).id);
    const gone = await add();
    await service.remove(workspace, `/v1/tool/${gone.id}`);
    const answers = [];
    for (const id of [randomUUID(), native, foreign.id, gone.id]) {
      answers.push(await change(id, { description: 'New' }));
    }
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('answers 422 for an id that is not a UUID', async () => {
    expect(findings(await change('7', { description: 'New' }))).toEqual(['id invalid_format']);
  });

  it('counts as an edit of the assistant, and publishes the change', async () => {
    const tool = await add();
    const before = await assistant();
    const newer = await service.addAssistant(workspace);
    await change(tool.id, { description: 'New' });
    const after = await assistant();
    expect(after).toEqual({ ...before, updated_at: expect.any(String) });
    expect(after.updated_at > newer.updated_at).toBe(true);
    const { body } = await service.post(workspace, '/v1/assistant/list', { size: 1 });
    expect(body.data[0].id).toBe(agentId);
    expect(await opened(tool.id)).toMatchObject({ description: 'New' });
    await eventually(() => {
      const messages = service.bus
        .received('assistant.updated')
        .filter(({ data }) => data.agent_id === agentId);
      expect(messages.map(({ data }) => data.version)).toEqual([1, 2, 3]);
    });
  });
});

describe('PUT /v1/tool/custom/{id} validates the merged tool [tools.6]', () => {
  it('switching back to blocking clears result_scheduling', async () => {
    const tool = await add({ tool_behavior: 'non_blocking', result_scheduling: 'silent' });
    const { status, body } = await change(tool.id, { tool_behavior: 'blocking' });
    expect([status, body.data.tool_behavior, body.data.result_scheduling]).toEqual([200, 'blocking', null]);
  });

  it('null means blocking, which clears it too', async () => {
    const tool = await add({ tool_behavior: 'non_blocking' });
    const { body } = await change(tool.id, { tool_behavior: null });
    expect([body.data.tool_behavior, body.data.result_scheduling]).toEqual([null, null]);
  });

  it.each<[string, Json, Json]>([
    ['stays blocking', {}, { result_scheduling: 'silent' }],
    ['never said how it behaves', { tool_behavior: null }, { result_scheduling: 'when_idle' }],
    [
      'goes back to blocking',
      { tool_behavior: 'non_blocking' },
      { tool_behavior: 'blocking', result_scheduling: 'silent' },
    ],
  ])('refuses a result_scheduling for a tool that %s', async (_words, fields, body) => {
    const tool = await add(fields);
    expect(findings(await change(tool.id, body))).toEqual(['result_scheduling not_allowed']);
    expect(await read(tool.id)).toEqual(tool);
  });

  it('accepts a result_scheduling of null for a blocking tool', async () => {
    const tool = await add();
    expect((await change(tool.id, { result_scheduling: null })).status).toBe(200);
  });

  it('accepts result_scheduling for a tool that is or becomes non_blocking', async () => {
    const tool = await add();
    const became = await change(tool.id, { tool_behavior: 'non_blocking', result_scheduling: 'silent' });
    expect(became.body.data.result_scheduling).toBe('silent');
    const was = await change(tool.id, { result_scheduling: 'when_idle' });
    expect(was.body.data).toMatchObject({ tool_behavior: 'non_blocking', result_scheduling: 'when_idle' });
  });

  it('refuses an unchanged endpoint that the operator no longer allows', async () => {
    const tool = await add();
    await service.sql
      .$executeRaw`UPDATE tools SET endpoint_url = 'http://127.0.0.1/x' WHERE id = ${tool.id}::uuid`;
    expect(findings(await change(tool.id, { description: 'New' }))).toEqual(['endpoint_url invalid_format']);
    expect((await change(tool.id, { endpoint_url: 'https://example.com' })).status).toBe(200);
  });
});

describe('a stored secret is sent only to the origin it was given for [trust.11]', () => {
  const headers = { 'X-Key': 'one', Authorization: 'two' };
  const elsewhere = ['https://example.org/find', 'http://example.com/find', 'https://example.com:8443/find'];

  it.each(elsewhere)('moving the tool to %s requires the headers again', async (endpoint_url) => {
    const { id } = await add({ endpoint_url: 'https://example.com/find', headers });
    const missing = ['headers.X-Key required', 'headers.Authorization required'];
    expect(findings(await change(id, { endpoint_url }))).toEqual(missing);
    const masked = { 'X-Key': '********', Authorization: 'new' };
    expect(findings(await change(id, { endpoint_url, headers: masked }))).toEqual(['headers.X-Key required']);
    expect(await opened(id)).toMatchObject({ endpoint_url: 'https://example.com/find', headers });

    const sent = { 'X-Key': 'three' };
    expect((await change(id, { endpoint_url, headers: sent })).status).toBe(200);
    expect((await opened(id)).headers).toEqual(sent);
  });

  it('requires nothing if the origin does not change, however it is spelled, or no header is stored', async () => {
    const { id } = await add({ endpoint_url: 'https://example.com/find', headers });
    for (const endpoint_url of ['https://EXAMPLE.com:443/other?x=1', 'https://example.com/find']) {
      expect((await change(id, { endpoint_url })).status).toBe(200);
    }
    expect((await opened(id)).headers).toEqual(headers);
    expect((await change(id, { endpoint_url: elsewhere[0], headers: null })).status).toBe(200);
    expect((await change(id, { endpoint_url: elsewhere[1] })).status).toBe(200);
  });
});

describe('PUT /v1/tool/custom/{id}: masking rules [tools.13] [tools.14]', () => {
  const headers = { 'X-Key': 'one', Authorization: 'two', 'X-Other': 'three' };

  it('keeps the value stored under the same name for ********, replaces other values, and removes missing headers', async () => {
    const { id } = await add({ headers });
    const sent = { 'X-Key': '********', Authorization: 'new', 'X-New': 'four' };
    const { status, body, text } = await change(id, { headers: sent });
    expect(status).toBe(200);
    expect(body.data.headers).toEqual({
      'X-Key': '********',
      Authorization: '********',
      'X-New': '********',
    });
    expect(text).not.toMatch(/one|four/);
    expect((await opened(id)).headers).toEqual({ 'X-Key': 'one', Authorization: 'new', 'X-New': 'four' });
  });

  it('compares names case-insensitively, and stores the new spelling', async () => {
    const { id } = await add({ headers });
    await change(id, { headers: { 'x-kEY': '********' } });
    expect((await opened(id)).headers).toEqual({ 'x-kEY': 'one' });
  });

  it('refuses ******** for a name without a stored value, including a rename, and keeps the stored headers', async () => {
    const { id } = await add({ headers });
    const answer = await change(id, { headers: { 'X-Renamed': '********', 'X-Key': '********' } });
    expect(findings(answer)).toEqual(['headers.X-Renamed not_allowed']);
    expect(answer.body.error.message).toContain('X-Renamed');
    expect((await opened(id)).headers).toEqual(headers);
    const bare = await add({ tool_name: 'bare' });
    expect(findings(await change(bare.id, { headers: { 'X-Key': '********' } }))).toEqual([
      'headers.X-Key not_allowed',
    ]);
  });

  it('keeps the headers when none are sent', async () => {
    const { id } = await add({ headers });
    await change(id, { description: 'New' });
    expect((await opened(id)).headers).toEqual(headers);
  });

  it.each([null, {}])('headers: %j removes them all', async (none) => {
    const { id } = await add({ headers });
    const { status, body } = await change(id, { headers: none });
    expect([status, body.data.headers]).toEqual([200, {}]);
    expect((await opened(id)).headers).toEqual({});
    const rows = await service.sql.$queryRaw<Json[]>`SELECT headers FROM tools WHERE id = ${id}::uuid`;
    expect(rows).toEqual([{ headers: null }]);
  });

  it('accepts its own response as a request: the whole object, including masks', async () => {
    const tool = await add({ headers, tool_behavior: 'non_blocking' });
    const { status, body } = await change(tool.id, tool);
    expect([status, body.data]).toEqual([200, { ...tool, updated_at: expect.any(String) }]);
    expect((await opened(tool.id)).headers).toEqual(headers);
  });

  it('treats __proto__ as an ordinary header name', async () => {
    const { id } = await add({ headers: JSON.parse('{"__proto__":"one","constructor":"two"}') });
    const { text } = await change(id, '{"headers":{"__proto__":"********","constructor":"********"}}');
    expect(text).toContain('"headers":{"__proto__":"********","constructor":"********"}');
    expect(JSON.stringify((await opened(id)).headers)).toBe('{"__proto__":"one","constructor":"two"}');
  });

  it('can replace headers whose key is lost, and does not mention them otherwise', async () => {
    const { id } = await add({ headers });
    await service.sql
      .$executeRaw`UPDATE tools SET headers = replace(headers, 'v1.k1.', 'v1.lost.') WHERE id = ${id}::uuid`;
    const masked = await change(id, { headers: { 'X-Key': '********' } });
    expect([masked.status, masked.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect((await change(id, { description: 'New' })).status).toBe(200);
    expect((await change(id, { headers: { 'X-Key': 'again' } })).status).toBe(200);
    expect((await opened(id)).headers).toEqual({ 'X-Key': 'again' });
  });
});

it('a tool_behavior of null means blocking', async () => {
  const silent = await add({ tool_behavior: null });
  expect(silent.tool_behavior).toBeNull();
  expect(await opened(silent.id)).toMatchObject({ tool_behavior: 'blocking' });
});
