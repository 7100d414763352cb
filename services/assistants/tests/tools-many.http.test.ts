import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Booted,
  customTool,
  findings,
  type Harness,
  type Json,
  newWorkspace,
  startHarness,
  whenAvailable,
} from './harness.ts';

const CAP = 200;
const AT_ONCE = 20;

let service: Harness;
let small: Booted;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
  small = await service.boot({ MAX_TOOLS_PER_ASSISTANT: '3' });
});
afterAll(() => service.close());

/** Nearly the maximum of a tool: 32 KiB of schema, 16 KiB of headers. */
const fat = (n: number) => ({
  tool_name: `tool_${n}`,
  headers: { 'x-key': 'k'.repeat(16_000) },
  parameters: { type: 'object', properties: { a: { type: 'string', description: 'd'.repeat(32_000) } } },
});
/** An assistant with the maximum of large tools: one is created, the others are copies of its row. */
const fullAssistant = async (): Promise<string> => {
  const { id, config } = await service.addAssistant(workspace);
  const tool = await service.addTool(workspace, id, fat(0));
  await service.sql.$executeRaw`INSERT INTO tools SELECT (jsonb_populate_record(t, jsonb_build_object(
       'id', gen_random_uuid(), 'tool_name', 'tool_' || n))).*
     FROM tools t, generate_series(2, ${CAP - config.toolIds.length}::int) n WHERE t.id = ${tool.id}::uuid`;
  return id;
};
const create = (agentId: string, name: string, at?: Booted) =>
  service.ask(workspace, 'POST', '/v1/tool/custom', {
    body: { ...customTool(agentId), tool_name: name },
    ...(at ? { at } : {}),
  });
const idsOf = async (agentId: string): Promise<string[]> => {
  const rows = await service.sql.$queryRaw<
    { id: string }[]
  >`SELECT id FROM tools WHERE agent_id = ${agentId}::uuid`;
  return rows.map(({ id }) => id);
};

describe('an assistant with the maximum number of tools', () => {
  it('rejects another custom tool, and still accepts its native ones', async () => {
    const id = await fullAssistant();
    const answer = await create(id, 'one_more');
    expect(findings(answer)).toEqual(['agent_id too_big']);
    expect(answer.body.error.message).toContain('200');
    const native = { agent_id: id, tool_name: 'transfer_call', transfer_call_destination: '+14155550123' };
    expect((await service.post(workspace, '/v1/tool/native', native)).status).toBe(201);
    const config = { nativeTools: { send_sms: { enabled: true } } };
    const patched = await service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body: { config } });
    expect(patched.status).toBe(200);
    expect(await idsOf(id)).toHaveLength(CAP + 2);
  });

  it('rejects tools that are too large together for a call, and accepts smaller versions of them', async () => {
    const { id } = await service.addAssistant(workspace);
    const at = await service.boot({ MAX_TOOLS_KIB_PER_ASSISTANT: '80' });
    const ask = (method: string, path: string, body: Json) =>
      service.ask(workspace, method, path, { body, at });
    const schema = (characters: number) => ({ properties: { a: { description: 'd'.repeat(characters) } } });
    const make = (name: string, parameters: Json) =>
      ask('POST', '/v1/tool/custom', { ...customTool(id), tool_name: name, parameters });
    const answers = await Promise.all([1, 2, 3, 4].map((n) => make(`tool_${n}`, schema(25_000))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused && findings(refused)).toEqual(['agent_id too_big']);
    expect(refused?.body.error.message).toContain('80 KiB');
    const path = `/v1/tool/custom/${answers.find(({ status }) => status === 201)?.body.data.id}`;
    expect(findings(await ask('PUT', path, { parameters: schema(32_000) }))).toEqual(['agent_id too_big']);
    expect((await ask('PUT', path, { parameters: schema(1_000) })).status).toBe(200);
    expect((await make('small', schema(10))).status).toBe(201);
  });

  it('stays within the maximum under concurrent creations, and accepts one after a deletion', async () => {
    const { id } = await service.addAssistant(workspace);
    const answers = await Promise.all([0, 1, 2, 3, 4].map((n) => create(id, `tool_${n}`, small)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422]);
    const made = answers.find(({ status }) => status === 201)?.body.data;
    expect((await service.remove(workspace, `/v1/tool/${made.id}`)).status).toBe(204);
    expect((await create(id, 'another', small)).status).toBe(201);
    expect(findings(await create(id, 'too_many', small))).toEqual(['agent_id too_big']);
  });

  it(`accepts ${AT_ONCE} concurrent updates, whatever its tools contain`, async () => {
    const id = await fullAssistant();
    const toolIds = await idsOf(id);
    const use = await service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, {
      body: { config: { toolIds } },
    });
    expect(use.body.data.config.toolIds).toHaveLength(CAP);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        whenAvailable(
          () =>
            service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body: { config: { [`key_${i}`]: i } } }),
          [409, 429, 503],
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    const { config } = (await service.get(workspace, `/v1/assistant/${id}`)).body.data;
    for (let i = 0; i < AT_ONCE; i += 1) expect(config[`key_${i}`]).toBe(i);
  });

  it('reads only the names of large tools to change the assistant', async () => {
    const id = await fullAssistant();
    const held = await service.context.transact((tx) => service.context.tools.listOwn(tx, workspace, id));
    expect(held).toHaveLength(CAP);
    expect(Object.keys(held[0] ?? {}).sort()).toEqual(['id', 'isNative', 'toolName']);
    const native = await service.context.transact((tx) =>
      service.context.tools.lockNative(tx, workspace, id),
    );
    expect(native.map(({ toolName }) => toolName)).toEqual(['end_call']);
    const found = await service.context.assistants.findWithTools(workspace, id);
    // The copies are not in `toolIds`, so a snapshot does not read them.
    expect(found?.tools.map(({ toolName }) => toolName).sort()).toEqual(['end_call', 'tool_0']);
  });

  it('is not locked while a schema is checked, and checks only schemas that were sent', async () => {
    const { id } = await service.addAssistant(workspace);
    const tool = await service.addTool(workspace, id);
    // An older version may have stored this.
    await service.sql
      .$executeRaw`UPDATE tools SET parameters = '{"properties":{"a":{"not":{}}}}'::json WHERE id = ${tool.id}::uuid`;
    const put = (body: Json) => service.put(workspace, `/v1/tool/custom/${tool.id}`, body);
    expect((await put({ description: 'New' })).status).toBe(200);
    expect(
      findings(await put({ parameters: { properties: { a: { not: {} } } }, headers: { a: 1 } })),
    ).toEqual(['headers.a invalid_type', 'parameters.properties.a.not not_allowed']);
  });
});

describe('POST /v1/tool/list', () => {
  it('a page past the last one answers 500 every time', async () => {
    const { id } = await service.addAssistant(workspace);
    for (const page of [2, 3, 1_000, 2, 2]) {
      const { status, body } = await service.post(workspace, '/v1/tool/list', { agent_id: id, page });
      expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    }
    expect((await service.post(workspace, '/v1/tool/list', { agent_id: id })).status).toBe(200);
  });

  it('accepts a search of 255 characters, and rejects one of 256', async () => {
    const { id } = await service.addAssistant(workspace);
    const search = (length: number) =>
      service.post(workspace, '/v1/tool/list', { agent_id: id, search: '_'.repeat(length) });
    const { status, body } = await search(255);
    expect([status, body.data]).toEqual([200, []]);
    expect(findings(await search(256))).toEqual(['search too_big']);
  });
});
