import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type HttpAnswer, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());

const put = (id: string, body: Json): Promise<HttpAnswer> =>
  service.ask(workspace, 'PUT', `/v1/assistant/${id}`, { body });
const read = async (id: string): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${id}`)).body.data;

/** The configuration after a replacement, which must equal a following GET. */
async function replaced(id: string, config: Json): Promise<Json> {
  const answer = await put(id, { config });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  expect(await read(id)).toEqual(answer.body.data);
  return answer.body.data.config;
}

const addBase = async (ws = workspace): Promise<string> =>
  (await service.post(ws, '/v1/knowledge-base', { name: 'Menu' })).body.data.id;

/** All tools of the assistant by name. */
async function toolsOf(agentId: string): Promise<Record<string, Json>> {
  const { body } = await service.post(workspace, '/v1/tool/list', { agent_id: agentId, size: 100 });
  return Object.fromEntries(body.data.map((tool: Json) => [tool.tool_name, tool]));
}

const transfer = { enabled: true, mode: 'static', staticDestination: '+14155550123' };
const sms = { enabled: true, smsContentType: 'static', smsStaticMessage: 'Hello' };
const off = {
  end_call: { enabled: false },
  transfer_call: { enabled: false, mode: 'static', staticDestination: '' },
  send_sms: { enabled: false, smsContentType: 'prompt', smsStaticMessage: '' },
};

/** The configuration of a new assistant without tools. */
async function defaults(): Promise<Json> {
  const { config } = await service.addAssistant(workspace, { nativeTools: null });
  return config;
}

describe('PUT /v1/assistant/{id}', () => {
  it("resets missing settings to defaults, and removes the client's own missing keys", async () => {
    const { id } = await service.addAssistant(workspace, {
      systemPrompt: 'Mine',
      voice: { voiceId: 'miles', speed: 2, mine: 1 },
      settings: { webhookUrl: 'https://example.com/hooks', voicemail: { detection: false } },
      fileSearchStoreIds: ['a'],
      mine: { a: 1 },
    });
    const config = await replaced(id, { voice: { speed: 1.5 }, other: { b: null } });
    expect(config).toEqual({
      ...(await defaults()),
      voice: { voiceId: 'aria', speed: 1.5 },
      other: { b: null },
    });
    expect(config.nativeTools).toEqual(off);
  });

  it('keeps fields that are not in the body', async () => {
    const { id, config } = await service.addAssistant(workspace, { systemPrompt: 'Mine' });
    const { body } = await put(id, { agent_name: ' Grace ', agent_type: 'Flow' });
    expect(body.data).toEqual({
      id,
      agent_name: 'Grace',
      agent_type: 'Flow',
      config,
      webhook_secret: null,
      updated_at: expect.any(String),
    });
    const { body: second } = await put(id, { config: {} });
    expect(second.data).toMatchObject({ agent_name: 'Grace', agent_type: 'Flow' });
  });

  it('null restores the default of a key, at any level [assistants.9]', async () => {
    const { id } = await service.addAssistant(workspace, {
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    const tool = await toolsOf(id);
    const config = await replaced(id, {
      systemPrompt: null,
      model: null,
      voice: { voiceId: null, speed: 2 },
      settings: { webhookUrl: null, voicemail: { action: null }, postCallAnalysis: { fields: null } },
      toolIds: null,
      kbStoreIds: null,
      fileSearchStoreIds: null,
      nativeTools: { end_call: null, transfer_call: { enabled: null, mode: null, staticDestination: null } },
      mine: null,
    });
    expect(config).toEqual({
      ...(await defaults()),
      voice: { voiceId: 'aria', speed: 2 },
      nativeTools: { ...off, send_sms: { ...sms, enabled: false } },
      mine: null,
    });
    expect((await toolsOf(id)).transfer_call).toEqual({
      ...tool.transfer_call,
      transfer_call_destination: null,
      updated_at: expect.any(String),
    });
    expect((await replaced(id, { nativeTools: null })).nativeTools.send_sms).toEqual({
      ...sms,
      enabled: false,
    });
  });

  it('keeps the knowledge bases if the document has no kbStoreIds, and replaces them otherwise', async () => {
    const kbStoreIds = [await addBase(), await addBase()];
    const { id } = await service.addAssistant(workspace, { kbStoreIds });
    expect((await replaced(id, {})).kbStoreIds).toEqual(kbStoreIds);
    expect((await replaced(id, { kbStoreIds: null })).kbStoreIds).toEqual(kbStoreIds);
    const others = [await addBase(), ...kbStoreIds.slice(1)];
    expect((await replaced(id, { kbStoreIds: others })).kbStoreIds).toEqual(others);
    expect((await replaced(id, { kbStoreIds: [] })).kbStoreIds).toEqual([]);
  });

  it('stops using custom tools that are not listed, and keeps the tools', async () => {
    const { id, config } = await service.addAssistant(workspace);
    const [one, two] = [
      await service.addTool(workspace, id),
      await service.addTool(workspace, id, { tool_name: 'b' }),
    ];
    const listed = [two.id, ...config.toolIds, randomUUID(), (await defaults()).toolIds[0] ?? randomUUID()];
    expect((await replaced(id, { toolIds: listed })).toolIds).toEqual([two.id, ...config.toolIds]);
    expect((await replaced(id, {})).toolIds).toEqual([]);
    expect(await toolsOf(id)).toMatchObject({ book_table: { id: one.id }, b: { id: two.id }, end_call: {} });
    expect((await replaced(id, { toolIds: [one.id] })).toolIds).toEqual([one.id]);
  });

  it.each<[string, string, Json]>([
    ['an empty body', ' required', {}],
    ['unknown fields alone', ' required', { toolIds: [] }],
    ['a blank agent_name', 'agent_name too_small', { agent_name: ' ' }],
    ['an agent_type of 65 characters', 'agent_type too_big', { agent_type: 'a'.repeat(65) }],
    ['a config that is null', 'config invalid_type', { config: null }],
    ['a config that is a list', 'config invalid_type', { config: [] }],
    [
      'an unsupported voiceId',
      'config.voice.voiceId not_allowed',
      { config: { voice: { voiceId: 'nobody' } } },
    ],
    [
      'a foreign knowledge base',
      'config.kbStoreIds.0 unknown_id',
      { config: { kbStoreIds: [randomUUID()] } },
    ],
    ['toolIds that are no list', 'config.toolIds invalid_type', { config: { toolIds: {} } }],
    ['a toolId that is no text', 'config.toolIds.0 invalid_type', { config: { toolIds: [{ toString: 1 }] } }],
    ['native tools that are no object', 'config.nativeTools invalid_type', { config: { nativeTools: [] } }],
    [
      'an entry that is text',
      'config.nativeTools.send_sms invalid_type',
      { config: { nativeTools: { send_sms: 'on' } } },
    ],
    ['more than 256 KiB', 'config too_big', { config: { note: 'n'.repeat(256 * 1024) } }],
  ])('refuses %s, reports it, and changes nothing', async (_words, finding, body) => {
    const before = await service.addAssistant(workspace);
    const answer = await put(before.id, body);
    expect(findings(answer)).toEqual([finding]);
    expect(answer.body.error.message).toContain(finding.split(' ')[0]);
    expect(await read(before.id)).toEqual(before);
  });

  it('refuses a knowledge base of another workspace with the same message as an unknown one', async () => {
    const { id } = await service.addAssistant(workspace);
    const [foreign, none] = await Promise.all(
      [await addBase(newWorkspace()), randomUUID()].map((base) =>
        put(id, { config: { kbStoreIds: [base] } }),
      ),
    );
    expect(foreign?.status).toBe(422);
    expect(foreign?.body).toEqual(none?.body);
  });

  it('publishes assistant.updated, and nothing without a change', async () => {
    const before = await service.addAssistant(workspace);
    const { nativeTools, ...config } = before.config;
    const same = await put(before.id, { agent_name: 'Ada', config: { ...config, nativeTools } });
    expect(same.body.data).toEqual(before);
    await put(before.id, { config: { settings: { webhookUrl: 'https://example.com/hooks' } } });
    await eventually(() => {
      const messages = service.bus
        .received('assistant.updated')
        .filter(({ data }) => data.agent_id === before.id);
      expect(messages.map(({ data }) => [data.version, data.webhook_url])).toEqual([
        [1, null],
        [2, 'https://example.com/hooks'],
      ]);
    });
  });

  it('answers 404 for an assistant of another workspace like an unknown one, and does not change it', async () => {
    const other = newWorkspace();
    const before = await service.addAssistant(other);
    const [foreign, none] = [await put(before.id, { config: {} }), await put(randomUUID(), { config: {} })];
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(none.body);
    expect((await service.get(other, `/v1/assistant/${before.id}`)).body.data).toEqual(before);
  });

  it('answers 422 for an id that is not a UUID', async () => {
    expect(findings(await put('nope', { config: {} }))).toEqual(['id invalid_format']);
  });
});

describe('native tools of PUT /v1/assistant/{id}', () => {
  it('disables a tool that is in neither nativeTools nor toolIds, including end_call, and keeps its settings', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const before = await toolsOf(id);
    const config = await replaced(id, {});
    expect(config.toolIds).toEqual([]);
    expect(config.nativeTools).toEqual({ ...off, send_sms: { ...sms, enabled: false } });
    expect(await toolsOf(id)).toEqual(before);
  });

  it('keeps a tool enabled that only toolIds contains, with its settings', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const { send_sms: tool } = await toolsOf(id);
    const config = await replaced(id, { toolIds: [tool.id.toUpperCase()] });
    expect(config.toolIds).toEqual([tool.id]);
    expect(config.nativeTools).toEqual({ ...off, send_sms: sms });
  });

  it('follows an entry with enabled, whatever toolIds contain', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const { send_sms: sendSms, end_call: endCall } = await toolsOf(id);
    const nativeTools = { send_sms: { ...sms, enabled: false }, end_call: { enabled: true } };
    const config = await replaced(id, { toolIds: [sendSms.id], nativeTools });
    expect(config.toolIds).toEqual([endCall.id]);
    expect(config.nativeTools).toEqual({ ...off, ...nativeTools });
  });

  it('follows toolIds for an entry without enabled, and resets its missing settings', async () => {
    const { id } = await service.addAssistant(workspace, {
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    const tools = await toolsOf(id);
    const config = await replaced(id, {
      toolIds: [tools.send_sms.id],
      nativeTools: { send_sms: {}, transfer_call: { mode: 'dynamic' } },
    });
    expect(config.toolIds).toEqual([tools.send_sms.id]);
    expect(config.nativeTools).toEqual({
      ...off,
      send_sms: { ...off.send_sms, enabled: true },
      transfer_call: { ...off.transfer_call, mode: 'dynamic' },
    });
    expect(await toolsOf(id)).toMatchObject({
      send_sms: { sms_content_type: 'prompt', sms_static_message: null },
      transfer_call: { transfer_call_mode: 'dynamic', transfer_call_destination: null },
    });
  });

  it('enables existing tools [assistants.16]', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const { send_sms: tool } = await toolsOf(id);
    await replaced(id, {});
    const config = await replaced(id, {
      nativeTools: { send_sms: { enabled: true, smsStaticMessage: 'x' } },
    });
    expect(config.toolIds).toEqual([tool.id]);
    expect(config.nativeTools.send_sms).toEqual({
      enabled: true,
      smsContentType: 'prompt',
      smsStaticMessage: 'x',
    });
  });

  it('keeps a missing tool disabled with the sent settings, and creates nothing', async () => {
    const { id, config: before } = await service.addAssistant(workspace);
    const config = await replaced(id, {
      toolIds: before.toolIds,
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    expect(config.toolIds).toEqual(before.toolIds);
    expect(config.nativeTools).toEqual({
      end_call: { enabled: true },
      transfer_call: { ...transfer, enabled: false },
      send_sms: { ...sms, enabled: false },
    });
    expect(Object.keys(await toolsOf(id))).toEqual(['end_call']);
  });

  it.each<[string, Json]>([
    ['transfer_call.staticDestination required', { transfer_call: { enabled: true } }],
    ['send_sms.smsStaticMessage required', { send_sms: { enabled: true, smsContentType: 'static' } }],
    ['transfer_call.mode not_allowed', { transfer_call: { mode: 'warm' } }],
  ])('refuses %s even for a tool that does not exist', async (finding, nativeTools) => {
    const { id } = await service.addAssistant(workspace);
    expect(findings(await put(id, { config: { nativeTools } }))).toEqual([`config.nativeTools.${finding}`]);
  });

  it('refuses an enabled static transfer without staticDestination also if toolIds enable it', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { transfer_call: transfer } });
    const { transfer_call: tool } = await toolsOf(id);
    const config = { toolIds: [tool.id], nativeTools: { transfer_call: { mode: 'static' } } };
    expect(findings(await put(id, { config }))).toEqual([
      'config.nativeTools.transfer_call.staticDestination required',
    ]);
  });

  it('drops unknown settings, and entries other than the three', async () => {
    const { id } = await service.addAssistant(workspace);
    const nativeTools = { send_sms: { api_key: 'hidden' }, other: { enabled: true } };
    const answer = await put(id, { config: { nativeTools } });
    expect(answer.body.data.config.nativeTools).toEqual(off);
    expect(answer.text).not.toContain('hidden');
  });
});
