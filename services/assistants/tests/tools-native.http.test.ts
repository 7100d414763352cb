import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type HttpAnswer, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();
let agentId: string;

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());
beforeEach(async () => {
  agentId = (await service.addAssistant(workspace, { nativeTools: null })).id;
});

const create = (fields: Json, headers?: Record<string, string>): Promise<HttpAnswer> =>
  service.post(workspace, '/v1/tool/native', { agent_id: agentId, ...fields }, headers);
const add = async (fields: Json): Promise<Json> => {
  const answer = await create(fields);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
};
const change = (id: string, body: unknown): Promise<HttpAnswer> =>
  service.put(workspace, `/v1/tool/native/${id}`, body);
const read = async (id: string): Promise<Json> => (await service.get(workspace, `/v1/tool/${id}`)).body.data;
const config = async (): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${agentId}`)).body.data.config;
const list = async (): Promise<Json[]> =>
  (await service.post(workspace, '/v1/tool/list', { agent_id: agentId })).body.data;
/** As a call receives it: with decrypted secrets. */
const opened = async (id: string): Promise<Json> => {
  const { body } = await service.callAsService(workspace, 'GET', `/internal/assistants/${agentId}/snapshot`);
  return body.data.snapshot.tools.find((tool: Json) => tool.id === id);
};
const account = { telco_account_sid: 'AC-sid', telco_auth_token: 'the-token' };
const transfer = { tool_name: 'transfer_call', transfer_call_destination: '+14155550123' };

describe('POST /v1/tool/native', () => {
  const common = {
    id: expect.any(String),
    description: expect.any(String),
    is_native: true,
    http_method: 'POST',
    headers: {},
    webhook_secret: null,
    timeout_seconds: 30,
    tool_behavior: 'blocking',
    result_scheduling: null,
    sms_content_type: null,
    sms_static_message: null,
    telco_account_sid: null,
    telco_from_number: null,
    transfer_call_mode: null,
    transfer_call_destination: null,
    transfer_call_type: null,
    created_at: expect.stringMatching(/\.\d{6}\+00:00$/),
    updated_at: expect.stringMatching(/\.\d{6}\+00:00$/),
  };

  it.each<[string, Json, Json]>([
    ['end_call', {}, { parameters: { properties: ['reason'], required: [] } }],
    [
      'transfer_call',
      { transfer_call_destination: 'sip:desk@example.com' },
      {
        transfer_call_mode: 'static',
        transfer_call_destination: 'sip:desk@example.com',
        transfer_call_type: 'cold',
        parameters: { properties: ['reason'], required: [] },
      },
    ],
    [
      'send_sms',
      {},
      { sms_content_type: 'prompt', parameters: { properties: ['to', 'message'], required: ['message'] } },
    ],
  ])('answers 201 with %s, its defaults and every field', async (tool_name, fields, expected) => {
    const { status, body } = await create({ tool_name, ...fields });
    expect(status).toBe(201);
    const { parameters, ...tool } = body.data;
    const told = { properties: Object.keys(parameters.properties), required: parameters.required };
    expect({ ...tool, parameters: told }).toEqual({
      ...common,
      agent_id: agentId,
      tool_name,
      endpoint_url: `native://${tool_name}`,
      ...expected,
    });
    expect(await read(tool.id)).toEqual(body.data);
  });

  it('accepts every field of send_sms, and returns no credentials', async () => {
    const { status, body, text } = await create({
      tool_name: 'send_sms',
      description: 'Texts the caller.',
      sms_content_type: 'static',
      sms_static_message: 'Hello',
      ...account,
      telco_from_number: '+14155550100',
      timeout_seconds: 300,
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      description: 'Texts the caller.',
      sms_content_type: 'static',
      sms_static_message: 'Hello',
      telco_account_sid: '********',
      telco_from_number: '+14155550100',
      timeout_seconds: 300,
    });
    expect(body.data).not.toHaveProperty('telco_auth_token');
    expect(text).not.toMatch(/AC-sid|the-token/);
    const rows = await service.sql.$queryRaw<Json[]>`SELECT * FROM tools WHERE id = ${body.data.id}`;
    expect(JSON.stringify(rows)).not.toMatch(/AC-sid|the-token/);
    expect((await opened(body.data.id)).native).toMatchObject(account);
  });

  it('accepts every field of transfer_call', async () => {
    const fields = {
      description: null,
      transfer_call_mode: 'dynamic',
      transfer_call_destination: '+14155550123',
      transfer_call_type: 'warm',
    };
    const tool = await add({ tool_name: 'transfer_call', ...fields });
    expect(tool).toMatchObject(fields);
    expect(tool.parameters.required).toEqual(['destination']);
  });

  it("appends the id to toolIds and switches the tool on in config.nativeTools, with the tool's settings [tools.7]", async () => {
    const custom = await service.addTool(workspace, agentId);
    const endCall = await add({ tool_name: 'end_call' });
    const transferCall = await add(transfer);
    const sendSms = await add({
      tool_name: 'send_sms',
      sms_content_type: 'static',
      sms_static_message: 'Hi',
      ...account,
    });
    const { toolIds, nativeTools } = await config();
    expect(toolIds).toEqual([custom.id, endCall.id, transferCall.id, sendSms.id]);
    expect(nativeTools).toEqual({
      end_call: { enabled: true },
      transfer_call: { enabled: true, mode: 'static', staticDestination: '+14155550123' },
      send_sms: { enabled: true, smsContentType: 'static', smsStaticMessage: 'Hi' },
    });
  });

  it('writes "" to config.nativeTools where the tool has null', async () => {
    await add({ tool_name: 'transfer_call', transfer_call_mode: 'dynamic' });
    await add({ tool_name: 'send_sms' });
    expect((await config()).nativeTools).toMatchObject({
      transfer_call: { enabled: true, mode: 'dynamic', staticDestination: '' },
      send_sms: { enabled: true, smsContentType: 'prompt', smsStaticMessage: '' },
    });
  });

  it('publishes the change', async () => {
    await add({ tool_name: 'end_call' });
    await eventually(() => {
      const messages = service.bus
        .received('assistant.updated')
        .filter(({ data }) => data.agent_id === agentId);
      expect(messages.map(({ data }) => data.version)).toEqual([1, 2]);
    });
  });

  it.each([true, false])('answers 409 when the assistant already has the tool: %s', async (enabled) => {
    const { id } = await service.addAssistant(workspace);
    const stored = async () => (await service.get(workspace, `/v1/assistant/${id}`)).body.data;
    if (!enabled) {
      const patch = { config: { nativeTools: { end_call: null } } };
      await service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body: patch });
    }
    const before = await stored();
    expect(before.config.nativeTools.end_call.enabled).toBe(enabled);
    const { status, body } = await create({ agent_id: id, tool_name: 'end_call' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    if (enabled) expect(body.error.message).toBe('The assistant already has a tool named end_call');
    else
      expect(body.error.message).toMatch(/disabled.*PATCH \/v1\/assistant\/.*"end_call": {"enabled": true}/);
    expect(await stored()).toEqual(before);
  });

  it('answers 404 alike for an assistant that is missing or in another workspace', async () => {
    const foreign = await service.addAssistant(newWorkspace(), { nativeTools: null });
    const answers = [];
    for (const agent_id of [foreign.id, randomUUID()]) {
      answers.push(await create({ agent_id, tool_name: 'end_call' }));
    }
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('replays the response for a repeated Idempotency-Key, instead of 409', async () => {
    const headers = { 'idempotency-key': `native-${agentId}` };
    const first = await create({ tool_name: 'end_call' }, headers);
    const second = await create({ tool_name: 'end_call' }, headers);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await list()).toHaveLength(1);
  });

  it.each<[string, Json]>([
    ['agent_id required', { agent_id: undefined, tool_name: 'end_call' }],
    ['agent_id invalid_format', { agent_id: 'nope', tool_name: 'end_call' }],
    ['tool_name required', {}],
    ['tool_name not_allowed', { tool_name: 'book_table' }],
    ['tool_name not_allowed', { tool_name: 'report_voicemail' }],
    ['tool_name not_allowed', { tool_name: null }],
    ['description invalid_type', { tool_name: 'end_call', description: 7 }],
    ['transfer_call_destination required', { tool_name: 'transfer_call' }],
    ['sms_static_message too_big', { tool_name: 'send_sms', sms_static_message: 'a'.repeat(1601) }],
    ['transfer_call_destination required', { ...transfer, transfer_call_destination: null }],
    ['transfer_call_destination required', { ...transfer, transfer_call_destination: '' }],
    ['transfer_call_destination invalid_format', { ...transfer, transfer_call_destination: '4155550123' }],
    ['transfer_call_destination invalid_format', { ...transfer, transfer_call_destination: 'sip:' }],
    [
      'transfer_call_destination invalid_format',
      { ...transfer, transfer_call_mode: 'dynamic', transfer_call_destination: 'https://example.com' },
    ],
    ['transfer_call_mode not_allowed', { ...transfer, transfer_call_mode: 'blind' }],
    ['transfer_call_mode not_allowed', { ...transfer, transfer_call_mode: null }],
    ['transfer_call_type not_allowed', { ...transfer, transfer_call_type: 'hot' }],
    ['sms_static_message required', { tool_name: 'send_sms', sms_content_type: 'static' }],
    [
      'sms_static_message required',
      { tool_name: 'send_sms', sms_content_type: 'static', sms_static_message: ' ' },
    ],
    ['sms_content_type not_allowed', { tool_name: 'send_sms', sms_content_type: 'text' }],
    ['sms_static_message invalid_type', { tool_name: 'send_sms', sms_static_message: 7 }],
    ['telco_from_number invalid_format', { tool_name: 'send_sms', telco_from_number: 'Parley' }],
    ['telco_auth_token required', { tool_name: 'send_sms', telco_account_sid: 'AC-sid' }],
    ['telco_account_sid required', { tool_name: 'send_sms', telco_auth_token: 'the-token' }],
    [
      'telco_account_sid required',
      { tool_name: 'send_sms', telco_account_sid: null, telco_auth_token: 'the-token' },
    ],
    ['telco_account_sid not_allowed', { tool_name: 'send_sms', ...account, telco_account_sid: '********' }],
    ['telco_auth_token not_allowed', { tool_name: 'send_sms', ...account, telco_auth_token: '********' }],
    ['telco_account_sid too_small', { tool_name: 'send_sms', ...account, telco_account_sid: '' }],
    ['timeout_seconds too_small', { tool_name: 'send_sms', timeout_seconds: 4 }],
    ['timeout_seconds too_big', { tool_name: 'send_sms', timeout_seconds: 301 }],
    ['timeout_seconds invalid_type', { tool_name: 'send_sms', timeout_seconds: 30.5 }],
  ])('refuses %s in %j, and stores nothing', async (finding, fields) => {
    const before = await config();
    const answer = await create(fields);
    expect(findings(answer)).toEqual([finding]);
    expect(answer.body.error.message).toContain(finding.split(' ')[0]);
    expect(answer.text).not.toContain('the-token');
    expect(await list()).toEqual([]);
    expect(await config()).toEqual(before);
  });

  it('ignores fields of other kinds, whatever their values', async () => {
    const foreign = {
      timeout_seconds: 'soon',
      sms_content_type: 7,
      headers: { a: '********' },
      parameters: 1,
    };
    const { status, body } = await create({
      ...transfer,
      ...foreign,
      tool_behavior: 'never',
      is_native: false,
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ timeout_seconds: 30, sms_content_type: null, headers: {} });
  });

  it.each(['end_call', 'transfer_call'])('%s always waits 30 seconds', async (tool_name) => {
    const tool = await add({ ...transfer, tool_name, timeout_seconds: 60 });
    expect(tool.timeout_seconds).toBe(30);
  });

  it('is not created when toolIds would not fit into the configuration', async () => {
    const free = 256 * 1024 - JSON.stringify(await config()).length;
    const note = { note: 'a'.repeat(free - 20) };
    await service.ask(workspace, 'PATCH', `/v1/assistant/${agentId}`, { body: { config: note } });
    for (const answer of [
      await create({ tool_name: 'end_call' }),
      await service.post(workspace, '/v1/tool/custom', {
        agent_id: agentId,
        tool_name: 'one',
        endpoint_url: 'https://example.com',
        http_method: 'GET',
      }),
    ]) {
      expect(findings(answer)).toEqual(['config too_big']);
    }
    expect(await list()).toEqual([]);
    expect((await config()).nativeTools.end_call.enabled).toBe(false);
  });
});

describe('PUT /v1/tool/native/{id}', () => {
  it('changes only the fields that were sent, and copies them into config.nativeTools', async () => {
    const tool = await add(transfer);
    const { status, body } = await change(tool.id, {
      transfer_call_destination: 'sip:desk@example.com',
      transfer_call_type: 'warm',
    });
    expect([status, body.data]).toEqual([
      200,
      {
        ...tool,
        transfer_call_destination: 'sip:desk@example.com',
        transfer_call_type: 'warm',
        updated_at: expect.any(String),
      },
    ]);
    expect(body.data.updated_at > tool.updated_at).toBe(true);
    expect(await read(tool.id)).toEqual(body.data);
    expect((await config()).nativeTools.transfer_call).toEqual({
      enabled: true,
      mode: 'static',
      staticDestination: 'sip:desk@example.com',
    });
  });

  it('derives the parameters from the settings [tools.8]', async () => {
    const tool = await add(transfer);
    const { body } = await change(tool.id, {
      transfer_call_mode: 'dynamic',
      transfer_call_destination: null,
    });
    expect(Object.keys(body.data.parameters.properties)).toEqual(['destination', 'reason']);
    expect((await config()).nativeTools.transfer_call).toEqual({
      enabled: true,
      mode: 'dynamic',
      staticDestination: '',
    });
    const sms = await add({ tool_name: 'send_sms' });
    const { body: changed } = await change(sms.id, { sms_content_type: 'static', sms_static_message: 'Hi' });
    expect(Object.keys(changed.data.parameters.properties)).toEqual(['to']);
  });

  it('changes the settings of a disabled tool, which stays disabled', async () => {
    const tool = await add({ tool_name: 'send_sms' });
    const off = { config: { nativeTools: { send_sms: null } } };
    await service.ask(workspace, 'PATCH', `/v1/assistant/${agentId}`, { body: off });
    const { status } = await change(tool.id, { sms_static_message: 'Hi' });
    expect(status).toBe(200);
    const { toolIds, nativeTools } = await config();
    expect(toolIds).toEqual([]);
    expect(nativeTools.send_sms).toEqual({
      enabled: false,
      smsContentType: 'prompt',
      smsStaticMessage: 'Hi',
    });
    // A disabled tool is not validated, neither here nor in the configuration.
    expect((await change(tool.id, { sms_content_type: 'static', sms_static_message: null })).status).toBe(
      200,
    );
  });

  it.each<[string, Json, Json]>([
    ['transfer_call_destination required', transfer, { transfer_call_destination: null }],
    ['transfer_call_destination required', transfer, { transfer_call_destination: '' }],
    [
      'transfer_call_destination required',
      { tool_name: 'transfer_call', transfer_call_mode: 'dynamic' },
      { transfer_call_mode: 'static' },
    ],
    ['transfer_call_destination invalid_format', transfer, { transfer_call_destination: 'the office' }],
    ['transfer_call_mode not_allowed', transfer, { transfer_call_mode: null }],
    ['sms_static_message required', { tool_name: 'send_sms' }, { sms_content_type: 'static' }],
    ['sms_static_message too_big', { tool_name: 'send_sms' }, { sms_static_message: 'a'.repeat(1601) }],
    [
      'sms_static_message required',
      { tool_name: 'send_sms', sms_content_type: 'static', sms_static_message: 'Hi' },
      { sms_static_message: null },
    ],
    ['sms_content_type not_allowed', { tool_name: 'send_sms' }, { sms_content_type: 'text' }],
    ['telco_from_number invalid_format', { tool_name: 'send_sms' }, { telco_from_number: '415' }],
    ['timeout_seconds too_small', { tool_name: 'send_sms' }, { timeout_seconds: 4 }],
    ['description invalid_type', { tool_name: 'end_call' }, { description: 7 }],
  ])('validates the merged tool, refuses %s, and changes nothing', async (finding, fields, body) => {
    const tool = await add(fields);
    const before = await config();
    const answer = await change(tool.id, body);
    expect(findings(answer)).toEqual([finding]);
    expect(answer.body.error.message).toContain(finding.split(' ')[0]);
    expect(await read(tool.id)).toEqual(tool);
    expect(await config()).toEqual(before);
  });

  it.each<[string, Json]>([
    ['end_call', {}],
    ['end_call', { timeout_seconds: 60 }],
    ['end_call', { transfer_call_type: 'warm', tool_behavior: 'non_blocking' }],
    ['transfer_call', { timeout_seconds: 60, sms_content_type: 'static' }],
    ['send_sms', { transfer_call_mode: 'dynamic', agent_id: randomUUID() }],
    ['send_sms', { tool_name: 'end_call' }],
  ])('answers 422 to %s for a body with none of its fields: %j', async (tool_name, body) => {
    const tool = await add({ ...transfer, tool_name });
    const answer = await change(tool.id, body);
    expect(findings(answer)).toEqual([' required']);
    expect(answer.body.error.message).toContain('description');
  });

  it('ignores the name, agent_id and fields of other kinds, whatever their values', async () => {
    const tool = await add({ tool_name: 'end_call' });
    const foreign = { timeout_seconds: 60, tool_name: 'send_sms', agent_id: 7, sms_content_type: 7 };
    const { status, body } = await change(tool.id, { description: 'Hang up.', ...foreign });
    expect([status, body.data]).toEqual([
      200,
      { ...tool, description: 'Hang up.', updated_at: expect.any(String) },
    ]);
  });

  it('accepts its own response as a request: the whole object, including masks', async () => {
    const sms = await add({ tool_name: 'send_sms', ...account });
    const { status, body } = await change(sms.id, sms);
    expect([status, body.data]).toEqual([200, { ...sms, updated_at: expect.any(String) }]);
    expect((await opened(sms.id)).native).toMatchObject(account);
    const call = await add(transfer);
    expect((await change(call.id, call)).status).toBe(200);
  });

  it('answers 404 alike for a custom tool and one that is missing, deleted or in another workspace', async () => {
    const custom = await service.addTool(workspace, agentId);
    const stranger = newWorkspace();
    const foreign = (await service.addAssistant(stranger)).config.toolIds[0];
    const { id: gone } = await add({ tool_name: 'end_call' });
    await service.remove(workspace, `/v1/tool/${gone}`);
    const answers = [];
    for (const id of [randomUUID(), custom.id, foreign, gone]) {
      answers.push(await change(id, { description: 'New' }));
    }
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(findings(await change('7', { description: 'New' }))).toEqual(['id invalid_format']);
  });

  it('increments the version, so that the next call uses the new settings', async () => {
    const tool = await add(transfer);
    await change(tool.id, { transfer_call_type: 'warm' });
    expect((await opened(tool.id)).native.transfer_call_type).toBe('warm');
    await eventually(() => {
      const messages = service.bus
        .received('assistant.updated')
        .filter(({ data }) => data.agent_id === agentId);
      expect(messages.map(({ data }) => data.version)).toEqual([1, 2, 3]);
    });
  });
});

describe('PUT /v1/tool/native/{id}: the carrier account of send_sms', () => {
  const credentials = async (id: string): Promise<Json> => {
    const { telco_account_sid, telco_auth_token } = (await opened(id)).native;
    return { telco_account_sid, telco_auth_token };
  };

  it.each<[string, Json, Json]>([
    ['nothing is sent of it', { timeout_seconds: 60 }, account],
    [
      'both are masked',
      { telco_account_sid: '********', telco_auth_token: '********', timeout_seconds: 60 },
      account,
    ],
    ['the account is masked', { telco_account_sid: '********' }, account],
    ['the token is masked', { telco_auth_token: '********' }, account],
    [
      'the token alone is new',
      { telco_account_sid: '********', telco_auth_token: 'newer' },
      { ...account, telco_auth_token: 'newer' },
    ],
    [
      'the account alone is new',
      { telco_account_sid: 'AC-2', telco_auth_token: '********' },
      { ...account, telco_account_sid: 'AC-2' },
    ],
    ['one half is sent', { telco_auth_token: 'newer' }, { ...account, telco_auth_token: 'newer' }],
    [
      'both are new',
      { telco_account_sid: 'AC-2', telco_auth_token: 'newer' },
      { telco_account_sid: 'AC-2', telco_auth_token: 'newer' },
    ],
  ])('keeps the fields that are not replaced when %s', async (_words, body, expected) => {
    const { id } = await add({ tool_name: 'send_sms', ...account });
    const answer = await change(id, body);
    expect([answer.status, answer.body.data.telco_account_sid]).toEqual([200, '********']);
    expect(answer.text).not.toMatch(/AC-|token|newer/);
    expect(await credentials(id)).toEqual(expected);
  });

  it('null for both removes it [tools.15]', async () => {
    const { id } = await add({ tool_name: 'send_sms', ...account });
    const { status, body } = await change(id, { telco_account_sid: null, telco_auth_token: null });
    expect([status, body.data.telco_account_sid]).toEqual([200, null]);
    expect(await credentials(id)).toEqual({ telco_account_sid: null, telco_auth_token: null });
    // Removing it twice has no further effect, and the object without an account is returned unchanged.
    expect((await change(id, { telco_account_sid: null })).status).toBe(200);
  });

  it.each<[string, Json]>([
    ['telco_account_sid required', { telco_account_sid: null }],
    ['telco_auth_token required', { telco_auth_token: null }],
    ['telco_account_sid required', { telco_account_sid: null, telco_auth_token: 'newer' }],
    ['telco_auth_token required', { telco_account_sid: '********', telco_auth_token: null }],
  ])('refuses to remove one half: %s in %j', async (finding, body) => {
    const { id } = await add({ tool_name: 'send_sms', ...account });
    const answer = await change(id, body);
    expect(findings(answer)).toEqual([finding]);
    expect(answer.text).not.toContain('newer');
    expect(await credentials(id)).toEqual(account);
  });

  it.each<[string[], Json]>([
    [['telco_account_sid not_allowed'], { telco_account_sid: '********' }],
    [
      ['telco_account_sid not_allowed', 'telco_auth_token not_allowed'],
      { telco_account_sid: '********', telco_auth_token: '********' },
    ],
    [['telco_auth_token required'], { telco_account_sid: 'AC-2' }],
  ])('refuses %j where no account is stored: %j', async (expected, body) => {
    const { id } = await add({ tool_name: 'send_sms' });
    expect(findings(await change(id, body))).toEqual(expected);
    expect((await change(id, account)).status).toBe(200);
    expect(await credentials(id)).toEqual(account);
  });
});
