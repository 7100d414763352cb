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

const patch = (id: string, body: Json): Promise<HttpAnswer> =>
  service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body });
const read = async (id: string): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${id}`)).body.data;

/** The response's `data`, which must equal a following GET. */
async function patched(id: string, body: Json): Promise<Json> {
  const answer = await patch(id, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  expect(await read(id)).toEqual(answer.body.data);
  return answer.body.data;
}

const addBase = async (ws = workspace): Promise<string> =>
  (await service.post(ws, '/v1/knowledge-base', { name: 'Menu' })).body.data.id;

/** Simulates a row that an older version of the service has stored. */
const rewrite = (id: string, config: Json): Promise<unknown> =>
  service.sql
    .$executeRaw`UPDATE assistants SET config = ${JSON.stringify(config)}::json WHERE id = ${id}::uuid`;
const versionOf = async (id: string): Promise<number> =>
  (await service.callAsService(workspace, 'GET', `/internal/assistants/${id}/snapshot`)).body.data.version;

describe('PATCH /v1/assistant/{id}', () => {
  it('answers {id, agent_name, agent_type, config, updated_at} with the whole configuration [assistants.3]', async () => {
    const before = await service.addAssistant(workspace, { mine: 1 });
    const after = await patched(before.id, {
      agent_name: '  Grace ',
      agent_type: 'Flow',
      config: { firstMessage: 'Hi' },
    });
    expect(after).toEqual({
      id: before.id,
      agent_name: 'Grace',
      agent_type: 'Flow',
      config: { ...before.config, firstMessage: 'Hi' },
      webhook_secret: null,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  });

  it('keeps fields that are not sent', async () => {
    const before = await service.addAssistant(workspace, { voice: { voiceId: 'miles' } });
    const { updated_at, ...after } = await patched(before.id, { agent_type: 'Flow', unknown: 1 });
    expect(after).toEqual({
      id: before.id,
      agent_name: 'Ada',
      agent_type: 'Flow',
      config: before.config,
      webhook_secret: null,
    });
  });

  it('merges an object key by key at any depth', async () => {
    const { id, config } = await service.addAssistant(workspace, {
      settings: { voicemail: { action: 'leave_message', message: 'Bye' } },
      mine: { a: { b: { c: 1, d: 2 }, e: 3 } },
    });
    const after = await patched(id, {
      config: { settings: { voicemail: { message: 'Ciao' } }, mine: { a: { b: { c: 9, f: {} } } } },
    });
    expect(after.config).toEqual({
      ...config,
      settings: {
        ...config.settings,
        voicemail: { detection: true, action: 'leave_message', message: 'Ciao' },
      },
      mine: { a: { b: { c: 9, d: 2, f: {} }, e: 3 } },
    });
  });

  it('replaces a list completely', async () => {
    const field = (name: string) => ({ type: 'string', name, description: '' });
    const { id, config } = await service.addAssistant(workspace, {
      fileSearchStoreIds: ['a', 'b'],
      settings: { postCallAnalysis: { fields: [field('a'), field('b')] } },
      mine: [{ a: 1 }, { b: 2 }],
    });
    const [one, two] = [
      await service.addTool(workspace, id),
      await service.addTool(workspace, id, { tool_name: 'b' }),
    ];
    const after = await patched(id, {
      config: {
        toolIds: [two.id, config.toolIds[0]],
        fileSearchStoreIds: ['c', 'c'],
        settings: { postCallAnalysis: { fields: [field('c')] } },
        mine: [{ c: null }],
      },
    });
    expect(after.config.toolIds).toEqual([two.id, config.toolIds[0]]);
    expect(after.config.fileSearchStoreIds).toEqual(['c']);
    expect(after.config.settings.postCallAnalysis).toEqual({ enabled: true, fields: [field('c')] });
    expect(after.config.mine).toEqual([{ c: null }]);
    expect((await service.get(workspace, `/v1/tool/${one.id}`)).status).toBe(200);
  });

  it('removes a key with null, which restores its default', async () => {
    const { config: fresh } = await service.addAssistant(workspace);
    const { id, config } = await service.addAssistant(workspace, {
      systemPrompt: 'Mine',
      model: { temperature: 1, mine: 1 },
      fileSearchStoreIds: ['a'],
      settings: { ringTimeout: 60, recording: { enabled: false } },
      mine: { a: 1 },
    });
    const gone = {
      model: { temperature: null, mine: null },
      settings: { recording: null, ringTimeout: null },
    };
    const after = await patched(id, {
      config: { ...gone, systemPrompt: null, fileSearchStoreIds: null, mine: null, absent: null },
    });
    expect(after.config).toEqual({ ...fresh, toolIds: config.toolIds });
  });

  it('stops the delivery of events when webhookUrl is removed [assistants.11]', async () => {
    const settings = { webhookUrl: 'https://example.com/hooks' };
    const { id } = await service.addAssistant(workspace, { settings });
    await patched(id, { config: { settings: { webhookUrl: null } } });
    const messages = await eventually(() => {
      const messages = service.bus.received('assistant.updated').filter(({ data }) => data.agent_id === id);
      expect(messages).toHaveLength(2);
      return messages;
    });
    expect(messages.map(({ data }) => [data.version, data.webhook_url])).toEqual([
      [1, settings.webhookUrl],
      [2, null],
    ]);
  });

  it('completes missing settings of the stored document', async () => {
    const { id, config } = await service.addAssistant(workspace, { voice: { voiceId: 'miles' } });
    const { language, voice, settings, nativeTools, ...old } = config;
    const native = { end_call: nativeTools.end_call, transfer_call: { mode: 'static' } };
    await rewrite(id, { ...old, voice: { voiceId: voice.voiceId }, nativeTools: native });
    expect((await patched(id, { config: {} })).config).toEqual(config);
  });

  it('refuses stored values that are no longer allowed, even if the config does not contain them; a rename does not validate them [assistants.7]', async () => {
    const { id, config } = await service.addAssistant(workspace);
    await rewrite(id, { ...config, voice: { voiceId: 'retired', speed: 1 } });
    expect(findings(await patch(id, { config: { firstMessage: 'Hi' } }))).toEqual([
      'config.voice.voiceId not_allowed',
    ]);
    await patched(id, { agent_name: 'Grace' });
    const after = await patched(id, { config: { firstMessage: 'Hi', voice: { voiceId: 'aria' } } });
    expect(after.config).toEqual({ ...config, firstMessage: 'Hi' });
  });

  it("keeps the client's own keys, including names such as __proto__ [general.22]", async () => {
    const { id } = await service.addAssistant(workspace);
    const send = async (config: string) => (await patch(id, `{"config":${config}}`)).text;
    expect(
      await send('{"__proto__":{"polluted":1,"a":{"b":null}},"mine":{"constructor":{"prototype":{"x":1}}}}'),
    ).toContain('"__proto__":{"polluted":1,"a":{}},"mine":{"constructor":{"prototype":{"x":1}}}');
    expect(
      await send('{"__proto__":{"polluted":null},"voice":{"__proto__":{"voiceId":"nobody"}}}'),
    ).toContain('"__proto__":{"a":{}}');
    const { text, body } = await service.get(workspace, `/v1/assistant/${id}`);
    expect(text).toContain('"voice":{"voiceId":"aria","speed":1,"__proto__":{"voiceId":"nobody"}}');
    expect(body.data.config.mine).toEqual({ constructor: { prototype: { x: 1 } } });
    expect(({} as Json).polluted).toBeUndefined();
    expect(await send('{"__proto__":null}')).not.toContain('"__proto__":{"a":{}}');
  });

  it('refuses 256 KiB and one byte as stored, and accepts 256 KiB', async () => {
    const { id, config } = await service.addAssistant(workspace, { note: '' });
    const free = 256 * 1024 - Buffer.byteLength(JSON.stringify(config));
    expect(findings(await patch(id, { config: { note: 'n'.repeat(free + 1) } }))).toEqual(['config too_big']);
    const { config: full } = await patched(id, { config: { note: 'n'.repeat(free) } });
    expect(Buffer.byteLength(JSON.stringify(full))).toBe(256 * 1024);
    expect(findings(await patch(id, { config: { more: 1 } }))).toEqual(['config too_big']);
    await patched(id, { config: { note: null, more: 1 } });
  });

  it('refuses 33 levels, even if only the merge has them, and accepts 32', async () => {
    const { id } = await service.addAssistant(workspace);
    const nested = (levels: number): Json => (levels === 1 ? {} : { deeper: nested(levels - 1) });
    expect(findings(await patch(id, { config: nested(33) }))).toEqual(['config too_big']);
    await patched(id, { config: nested(32) });
    const wrapped = (levels: number, inner: Json): Json =>
      levels === 1 ? inner : { deeper: wrapped(levels - 1, inner) };
    expect(findings(await patch(id, { config: wrapped(32, { leaf: {} }) }))).toEqual(['config too_big']);
    await patched(id, { config: wrapped(32, { leaf: 1 }) });
  });

  it('answers 200 to a merge without changes, and writes nothing [assistants.6]', async () => {
    const { id } = await service.addAssistant(workspace, { mine: { b: 1, a: [1] } });
    await service.addTool(workspace, id);
    const before = await read(id);
    const { nativeTools, ...config } = before.config;
    const same = [
      { agent_name: ' Ada ' },
      { config: {} },
      {
        config: {
          absent: null,
          mine: { a: [1] },
          nativeTools: { end_call: { enabled: true }, send_sms: {} },
        },
      },
      { agent_name: before.agent_name, agent_type: before.agent_type, config: { ...config, nativeTools } },
    ];
    for (const body of same) expect(await patched(id, body)).toEqual(before);
    expect(await versionOf(id)).toBe(2);
  });

  it('publishes assistant.updated with an increasing version', async () => {
    const { id } = await service.addAssistant(workspace);
    await patched(id, { agent_name: 'Grace' });
    await patched(id, { config: { firstMessage: 'Hi' } });
    await eventually(() => {
      const messages = service.bus.received('assistant.updated').filter(({ data }) => data.agent_id === id);
      expect(messages.map(({ data }) => [data.agent_name, data.version])).toEqual([
        ['Ada', 1],
        ['Grace', 2],
        ['Grace', 3],
      ]);
    });
  });

  it('puts the assistant first in the list', async () => {
    const ws = newWorkspace();
    const first = await service.addAssistant(ws);
    await service.addAssistant(ws, {}, 'Grace');
    await service.ask(ws, 'PATCH', `/v1/assistant/${first.id}`, { body: { agent_name: 'Edited' } });
    const { body } = await service.post(ws, '/v1/assistant/list', {});
    expect(body.data.map((item: Json) => item.agent_name)).toEqual(['Edited', 'Grace']);
  });

  it.each<[string, string, Json]>([
    ['an empty body', ' required', {}],
    ['unknown fields alone', ' required', { name: 'Ada', toolIds: [] }],
    ['a body that is no object', ' invalid_type', '[]'],
    ['a body that is no JSON', ' invalid_format', '{'],
    ['a blank agent_name', 'agent_name too_small', { agent_name: '  ' }],
    ['an agent_name of 256 characters', 'agent_name too_big', { agent_name: 'a'.repeat(256) }],
    ['an agent_name that is null', 'agent_name invalid_type', { agent_name: null }],
    ['an empty agent_type', 'agent_type too_small', { agent_type: '' }],
    ['an agent_type of 65 characters', 'agent_type too_big', { agent_type: 'a'.repeat(65) }],
    ['a config that is null', 'config invalid_type', { config: null }],
    ['a config that is a list', 'config invalid_type', { config: [] }],
    ['a config that is text', 'config invalid_type', { config: 'x' }],
    [
      'an unsupported voiceId',
      'config.voice.voiceId not_allowed',
      { config: { voice: { voiceId: 'nobody' } } },
    ],
    ['a known object that becomes text', 'config.settings invalid_type', { config: { settings: 'x' } }],
    ['a toolId that is no UUID', 'config.toolIds.0 invalid_format', { config: { toolIds: ['x'] } }],
  ])('refuses %s, reports it, and changes nothing', async (_words, finding, body) => {
    const before = await service.addAssistant(workspace);
    const answer = await patch(before.id, body);
    expect(findings(answer)).toEqual([finding]);
    expect(answer.body.error.message).toContain(finding.split(' ')[0]);
    expect(await read(before.id)).toEqual(before);
  });

  it('accepts knowledge bases of the workspace, each once, and keeps them until kbStoreIds are sent', async () => {
    const [one, two] = [await addBase(), await addBase()];
    const { id, config } = await service.addAssistant(workspace, { kbStoreIds: [one] });
    expect(config.kbStoreIds).toEqual([one]);
    const kbStoreIds = [two, one.toUpperCase(), two];
    expect((await patched(id, { config: { kbStoreIds } })).config.kbStoreIds).toEqual([two, one]);
    expect((await patched(id, { config: { firstMessage: 'Hi' } })).config.kbStoreIds).toEqual([two, one]);
    expect((await patched(id, { config: { kbStoreIds: null } })).config.kbStoreIds).toEqual([]);
  });

  it('refuses a knowledge base of another workspace with the same message as an unknown one', async () => {
    const { id } = await service.addAssistant(workspace);
    const own = await addBase();
    const answers = await Promise.all(
      [await addBase(newWorkspace()), randomUUID(), 'x'].map((base) =>
        patch(id, { config: { kbStoreIds: [own, base] } }),
      ),
    );
    for (const answer of answers) {
      expect(findings(answer)).toEqual(['config.kbStoreIds.1 unknown_id']);
      expect(answer.body).toEqual(answers[0]?.body);
    }
  });

  it('answers 404 for an assistant of another workspace like an unknown one, and does not change it', async () => {
    const other = newWorkspace();
    const before = await service.addAssistant(other);
    const body = { agent_name: 'Taken over', config: { systemPrompt: 'x' } };
    const [foreign, none] = [await patch(before.id, body), await patch(randomUUID(), body)];
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(none.body);
    expect((await service.get(other, `/v1/assistant/${before.id}`)).body.data).toEqual(before);
  });

  it('answers 422 for an id that is not a UUID', async () => {
    expect(findings(await patch('nope', { agent_name: 'Ada' }))).toEqual(['id invalid_format']);
  });

  it.each(['PATCH', 'PUT'])(
    '%s with another expected_updated_at changes nothing and is 409 [assistants.25]',
    async (method) => {
      const { id, updated_at: first } = await service.addAssistant(workspace);
      const ask = (body: Json) => service.ask(workspace, method, `/v1/assistant/${id}`, { body });
      const { status, body } = await ask({ agent_name: 'Bea', expected_updated_at: first });
      expect([status, body.data.agent_name]).toEqual([200, 'Bea']);
      const late = await ask({ agent_name: 'Cleo', expected_updated_at: first });
      expect([late.status, late.body.error.code]).toEqual([409, 'CONFLICT']);
      expect((await service.get(workspace, `/v1/assistant/${id}`)).body.data).toEqual(body.data);
      const alone = await ask({ expected_updated_at: body.data.updated_at });
      expect([alone.status, alone.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    },
  );
});
