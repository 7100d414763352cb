import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
});
afterAll(() => service.close());

const create = (body: Json, headers?: Record<string, string>) =>
  service.post(workspace, '/v1/assistant', body, headers);
const createWith = (config: Json) => create({ agent_name: 'Ada', config });
const toolsOf = async (agentId: string): Promise<Json[]> =>
  (await service.post(workspace, '/v1/tool/list', { agent_id: agentId })).body.data;

describe('POST /v1/assistant', () => {
  it('answers 201 with the configuration completed with defaults [assistants.1]', async () => {
    const { status, body } = await create({ agent_name: '  Ada  ' });
    expect(status).toBe(201);
    const { id, config, ...rest } = body.data;
    expect(rest).toEqual({
      agent_name: 'Ada',
      agent_type: 'Single Prompt',
      webhook_secret: null,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const [endCall] = await toolsOf(id);
    expect(config).toEqual({
      systemPrompt: expect.stringMatching(/\w/),
      firstMessage: '',
      language: 'en-US',
      model: { provider: 'builtin', name: 'scripted-1', temperature: 0.3 },
      voice: { voiceId: 'aria', speed: 1 },
      transcriber: { keywords: [] },
      settings: {
        maxCallDuration: 3600,
        silenceTimeout: 30,
        ringTimeout: 30,
        endpointing: { silenceMs: 700 },
        interruption: { enabled: true, minSpeechMs: 300 },
        recording: { enabled: true },
        voicemail: { detection: true, action: 'hangup', message: '' },
        postCallAnalysis: { enabled: true, fields: [] },
      },
      toolIds: [endCall.id],
      kbStoreIds: [],
      fileSearchStoreIds: [],
      nativeTools: {
        end_call: { enabled: true },
        transfer_call: { enabled: false, mode: 'static', staticDestination: '' },
        send_sms: { enabled: false, smsContentType: 'prompt', smsStaticMessage: '' },
      },
    });
  });

  it('creates end_call with every field of the tool object', async () => {
    const { id } = await service.addAssistant(workspace);
    const tools = await toolsOf(id);
    expect(tools).toEqual([
      {
        id: expect.any(String),
        agent_id: id,
        tool_name: 'end_call',
        description: expect.any(String),
        is_native: true,
        endpoint_url: 'native://end_call',
        http_method: 'POST',
        headers: {},
        webhook_secret: null,
        parameters: expect.objectContaining({ type: 'object', required: [] }),
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
      },
    ]);
  });

  it.each([
    ['null', null],
    ['{enabled: false}', { enabled: false }],
    ['{enabled: null}', { enabled: null }],
  ])('disables end_call if the body says %s', async (_words, endCall) => {
    const { id, config } = await service.addAssistant(workspace, { nativeTools: { end_call: endCall } });
    expect(config.nativeTools.end_call).toEqual({ enabled: false });
    expect(config.toolIds).toEqual([]);
    expect(await toolsOf(id)).toEqual([]);
  });

  it('switches all three off for nativeTools: null', async () => {
    const { config } = await service.addAssistant(workspace, { nativeTools: null });
    expect(Object.values(config.nativeTools).map((entry: Json) => entry.enabled)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('creates enabled tools with their settings, and keeps settings of disabled ones', async () => {
    const { id, config } = await service.addAssistant(workspace, {
      nativeTools: {
        transfer_call: { enabled: true, staticDestination: '+14155550123', api_key: 'hidden' },
        send_sms: { smsStaticMessage: 'Hello' },
        other: { enabled: true },
      },
    });
    expect(config.nativeTools).toEqual({
      end_call: { enabled: true },
      transfer_call: { enabled: true, mode: 'static', staticDestination: '+14155550123' },
      send_sms: { enabled: false, smsContentType: 'prompt', smsStaticMessage: 'Hello' },
    });
    const tools = await toolsOf(id);
    expect(tools.map((tool) => tool.tool_name).sort()).toEqual(['end_call', 'transfer_call']);
    expect(tools.find((tool) => tool.tool_name === 'transfer_call')).toMatchObject({
      endpoint_url: 'native://transfer_call',
      transfer_call_mode: 'static',
      transfer_call_destination: '+14155550123',
      transfer_call_type: 'cold',
    });
    expect([...config.toolIds].sort()).toEqual(tools.map((tool) => tool.id).sort());
  });

  it("keeps only the assistant's own tools in toolIds", async () => {
    const other = await service.addAssistant(workspace);
    const { config } = await service.addAssistant(workspace, {
      toolIds: [other.config.toolIds[0], randomUUID()],
    });
    expect(config.toolIds).toHaveLength(1);
    expect(config.toolIds[0]).not.toBe(other.config.toolIds[0]);
  });

  it("keeps the client's own keys in their order, including names such as __proto__", async () => {
    const config =
      '{"zeta":{"b":1,"__proto__":{"x":1},"a":null},"voice":{"constructor":"c"},"__proto__":{"on":true}}';
    const { status, text, body } = await create(`{"agent_name":"Ada","config":${config}}`);
    expect(status).toBe(201);
    expect(text).toContain('"zeta":{"b":1,"__proto__":{"x":1},"a":null}');
    expect(text).toContain('"__proto__":{"on":true}');
    expect(body.data.config.voice).toEqual({ voiceId: 'aria', speed: 1, constructor: 'c' });
    const again = await service.get(workspace, `/v1/assistant/${body.data.id}`);
    expect(again.text).toBe(text);
  });

  it('applies the default of a key that is null', async () => {
    const { config } = await service.addAssistant(workspace, {
      systemPrompt: null,
      voice: null,
      settings: { webhookUrl: null, ringTimeout: null, voicemail: { action: null } },
    });
    expect(config.voice).toEqual({ voiceId: 'aria', speed: 1 });
    expect(config.settings).not.toHaveProperty('webhookUrl');
    expect(config.settings.ringTimeout).toBe(30);
    expect(config.settings.voicemail.action).toBe('hangup');
  });

  it.each(['https://example.com/hooks', 'http://127.0.0.1:9000/hooks'])(
    'accepts the webhookUrl %s',
    async (webhookUrl) => {
      const { config } = await service.addAssistant(workspace, { settings: { webhookUrl } });
      expect(config.settings.webhookUrl).toBe(webhookUrl);
    },
  );

  it.each([
    'http://example.com/hooks',
    'https://10.0.0.1/hooks',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'ftp://example.com',
    'hooks',
    '',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('refuses the webhookUrl %s', async (webhookUrl) => {
    expect(findings(await createWith({ settings: { webhookUrl } }))[0]).toMatch(
      /^config\.settings\.webhookUrl /,
    );
  });

  it('refuses an unsupported voiceId and lists the valid ids', async () => {
    const answer = await createWith({ voice: { voiceId: 'nobody' } });
    expect(findings(answer)).toEqual(['config.voice.voiceId not_allowed']);
    expect(answer.body.error.message).toContain('config.voice.voiceId');
    expect(answer.body.error.message).toContain('aria');
  });

  it('refuses a model provider that the deployment does not support', async () => {
    expect(findings(await createWith({ model: { provider: 'openai', name: 'gpt' } }))).toEqual([
      'config.model.provider not_allowed',
    ]);
  });

  it('refuses an unknown knowledge base', async () => {
    expect(findings(await createWith({ kbStoreIds: [randomUUID(), 'x'] }))).toEqual([
      'config.kbStoreIds.0 unknown_id',
      'config.kbStoreIds.1 unknown_id',
    ]);
  });

  it.each<[string, Json]>([
    ['config.nativeTools.transfer_call.staticDestination required', { transfer_call: { enabled: true } }],
    [
      'config.nativeTools.send_sms.smsStaticMessage required',
      { send_sms: { enabled: true, smsContentType: 'static' } },
    ],
    ['config.nativeTools.transfer_call.mode not_allowed', { transfer_call: { mode: null } }],
    ['config.nativeTools.send_sms.smsStaticMessage invalid_type', { send_sms: { smsStaticMessage: null } }],
    ['config.nativeTools.end_call invalid_type', { end_call: true }],
    ['config.nativeTools.end_call.enabled invalid_type', { end_call: { enabled: 'yes' } }],
    ['config.nativeTools invalid_type', 'all'],
    [
      'config.nativeTools.transfer_call.staticDestination invalid_format',
      { transfer_call: { staticDestination: 'the office' } },
    ],
  ])('refuses native tools: %s', async (finding, nativeTools) => {
    expect(findings(await createWith({ nativeTools }))).toEqual([finding]);
  });

  it.each<[string, string, Json]>([
    ['no name', 'agent_name required', {}],
    ['a blank name', 'agent_name too_small', { agent_name: '   ' }],
    ['a name of 256 characters', 'agent_name too_big', { agent_name: 'a'.repeat(256) }],
    ['a config that is no object', 'config invalid_type', { agent_name: 'Ada', config: [] }],
    ['an empty agent_type', 'agent_type too_small', { agent_name: 'Ada', agent_type: '' }],
    ['a NUL character', 'config.note invalid_format', { agent_name: 'Ada', config: { note: 'a\0b' } }],
    ['more than 256 KiB', 'config too_big', { agent_name: 'Ada', config: { note: 'é'.repeat(131_000) } }],
    ['more than 32 levels', 'config too_big', { agent_name: 'Ada', config: nested(33) }],
  ])('refuses %s [assistants.5] [assistants.12]', async (_words, finding, body) => {
    expect(findings(await create(body))).toEqual([finding]);
  });

  it('accepts 32 levels', async () => {
    expect((await createWith(nested(32))).status).toBe(201);
  });

  it('publishes the change in its transaction', async () => {
    const webhookUrl = 'https://example.com/told';
    const { id } = await service.addAssistant(workspace, { settings: { webhookUrl } }, 'Grace');
    const message = await eventually(() => {
      const messages = service.bus.received('assistant.updated').find(({ data }) => data.agent_id === id);
      expect(messages).toBeDefined();
      return messages;
    });
    expect(message).toMatchObject({
      workspace_id: workspace,
      data: { agent_id: id, agent_name: 'Grace', version: 1, webhook_url: webhookUrl },
    });
  });

  it('replays the response for a repeated Idempotency-Key and creates one assistant', async () => {
    const ws = newWorkspace();
    const body = { agent_name: 'Once' };
    const headers = { 'idempotency-key': 'k-1' };
    const first = await service.post(ws, '/v1/assistant', body, headers);
    const second = await service.post(ws, '/v1/assistant', body, headers);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const list = await service.post(ws, '/v1/assistant/list', {});
    expect(list.body.pagination.total).toBe(1);
    const reused = await service.post(ws, '/v1/assistant', { agent_name: 'Twice' }, headers);
    expect(reused.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('GET /v1/assistant/{id}', () => {
  it('answers in the shape of the update response, with the id in any case', async () => {
    const created = await service.addAssistant(workspace);
    const { status, body } = await service.get(workspace, `/v1/assistant/${created.id.toUpperCase()}`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: created });
  });

  it('answers 404 for an assistant of another workspace like an unknown one', async () => {
    const { id } = await service.addAssistant(newWorkspace());
    const foreign = await service.get(workspace, `/v1/assistant/${id}`);
    const none = await service.get(workspace, `/v1/assistant/${randomUUID()}`);
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(none.body);
    expect(foreign.body.error.code).toBe('NOT_FOUND');
  });

  it('answers 422 for an id that is not a UUID', async () => {
    expect(findings(await service.get(workspace, '/v1/assistant/nope'))).toEqual(['id invalid_format']);
  });
});

describe('GET /v1/voice', () => {
  it('lists the voices that voiceId may name [assistants.18]', async () => {
    const { status, body } = await service.get(workspace, '/v1/voice');
    expect(status).toBe(200);
    expect(body.data[0]).toEqual({
      voice_id: 'aria',
      voice_name: 'Aria',
      provider: 'builtin',
      gender: 'female',
      language: 'en-US',
      preview_url: null,
      available: false,
    });
    for (const { voice_id: voiceId } of body.data.slice(0, 3)) {
      expect((await createWith({ voice: { voiceId } })).status).toBe(201);
    }
  });
});

/** A configuration with this many levels of nesting, including itself. */
function nested(levels: number): Json {
  return levels === 1 ? {} : { deeper: nested(levels - 1) };
}
