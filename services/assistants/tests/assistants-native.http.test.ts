import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findings, type Harness, type HttpAnswer, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());

const patch = (id: string, config: Json): Promise<HttpAnswer> =>
  service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body: { config } });
const patchEntries = (id: string, nativeTools: Json): Promise<HttpAnswer> => patch(id, { nativeTools });

/** The configuration after a patch of `nativeTools`. */
async function patched(id: string, nativeTools: Json): Promise<Json> {
  const answer = await patchEntries(id, nativeTools);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body.data.config;
}

/** All tools of the assistant by name. */
async function toolsOf(agentId: string): Promise<Record<string, Json>> {
  const { body } = await service.post(workspace, '/v1/tool/list', { agent_id: agentId, size: 100 });
  return Object.fromEntries(body.data.map((tool: Json) => [tool.tool_name, tool]));
}

const transfer = { enabled: true, mode: 'static', staticDestination: '+14155550123' };
const sms = { enabled: true, smsContentType: 'static', smsStaticMessage: 'Hello' };

describe('nativeTools of PATCH /v1/assistant/{id}', () => {
  it('creates an enabled, missing tool with the settings of its entry, and adds its id [assistants.13]', async () => {
    const { id, config } = await service.addAssistant(workspace);
    const after = await patched(id, { transfer_call: transfer, send_sms: sms });
    expect(after.nativeTools).toEqual({
      end_call: { enabled: true },
      transfer_call: transfer,
      send_sms: sms,
    });
    const tools = await toolsOf(id);
    expect(tools.transfer_call).toMatchObject({
      is_native: true,
      endpoint_url: 'native://transfer_call',
      transfer_call_mode: 'static',
      transfer_call_destination: '+14155550123',
      transfer_call_type: 'cold',
    });
    expect(tools.send_sms).toMatchObject({ sms_content_type: 'static', sms_static_message: 'Hello' });
    expect(after.toolIds).toEqual([...config.toolIds, tools.transfer_call.id, tools.send_sms.id]);
  });

  it('keeps a disabled tool and its settings', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const { send_sms: before } = await toolsOf(id);
    const off = await patched(id, { send_sms: { enabled: false } });
    expect(off.nativeTools.send_sms).toEqual({ ...sms, enabled: false });
    expect(off.toolIds).not.toContain(before.id);
    expect((await toolsOf(id)).send_sms).toEqual(before);
    const on = await patched(id, { send_sms: { enabled: true } });
    expect(on.nativeTools.send_sms).toEqual(sms);
    expect(on.toolIds).toContain(before.id);
    expect((await toolsOf(id)).send_sms).toEqual(before);
  });

  it.each<[string, Json]>([
    ['null', null],
    ['{enabled: null}', { enabled: null }],
    ['{enabled: false}', { enabled: false }],
  ])('switches off with %s', async (_words, entry) => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const { send_sms: tool } = await toolsOf(id);
    const { nativeTools, toolIds } = await patched(id, { send_sms: entry });
    expect(nativeTools.send_sms).toEqual({ ...sms, enabled: false });
    expect(toolIds).not.toContain(tool.id);
  });

  it('switches all three off with nativeTools: null, and keeps custom tools in use', async () => {
    const { id } = await service.addAssistant(workspace, {
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    const custom = await service.addTool(workspace, id);
    const { nativeTools, toolIds } = await patched(id, null);
    expect(nativeTools).toEqual({
      end_call: { enabled: false },
      transfer_call: { ...transfer, enabled: false },
      send_sms: { ...sms, enabled: false },
    });
    expect(toolIds).toEqual([custom.id]);
  });

  it('does not change a tool that is not mentioned, and changes only the sent fields of others [assistants.14]', async () => {
    const { id, config } = await service.addAssistant(workspace, {
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    const before = await toolsOf(id);
    const after = await patched(id, { send_sms: { smsStaticMessage: 'Bye' } });
    expect(after).toEqual({
      ...config,
      nativeTools: { ...config.nativeTools, send_sms: { ...sms, smsStaticMessage: 'Bye' } },
    });
    const { send_sms: tool, ...others } = await toolsOf(id);
    const { send_sms: old, ...untouched } = before;
    expect(others).toEqual(untouched);
    expect(tool).toEqual({ ...old, sms_static_message: 'Bye', updated_at: expect.any(String) });
    expect(tool.updated_at > old.updated_at).toBe(true);
  });

  it('copies settings to a disabled tool', async () => {
    const { id } = await service.addAssistant(workspace, { nativeTools: { transfer_call: transfer } });
    await patched(id, { transfer_call: { enabled: false, mode: 'dynamic' } });
    expect((await toolsOf(id)).transfer_call).toMatchObject({
      transfer_call_mode: 'dynamic',
      parameters: expect.objectContaining({ required: ['destination'] }),
    });
  });

  it('keeps the settings of a tool that was never enabled, and creates it with them later', async () => {
    const { id } = await service.addAssistant(workspace);
    const { nativeTools } = await patched(id, {
      transfer_call: { staticDestination: 'sip:desk@example.com' },
    });
    expect(nativeTools.transfer_call).toEqual({
      enabled: false,
      mode: 'static',
      staticDestination: 'sip:desk@example.com',
    });
    expect(await toolsOf(id)).not.toHaveProperty('transfer_call');
    await patched(id, { transfer_call: { enabled: true } });
    expect((await toolsOf(id)).transfer_call.transfer_call_destination).toBe('sip:desk@example.com');
  });

  it('clears staticDestination and smsStaticMessage with an empty string', async () => {
    const { id } = await service.addAssistant(workspace, {
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    const { nativeTools } = await patched(id, {
      transfer_call: { mode: 'dynamic', staticDestination: '' },
      send_sms: { smsContentType: 'prompt', smsStaticMessage: '' },
    });
    expect(nativeTools.transfer_call.staticDestination).toBe('');
    expect(nativeTools.send_sms.smsStaticMessage).toBe('');
    const tools = await toolsOf(id);
    expect(tools.transfer_call.transfer_call_destination).toBeNull();
    expect(tools.send_sms.sms_static_message).toBeNull();
  });

  it('drops unknown settings, and entries other than the three', async () => {
    const { id, config } = await service.addAssistant(workspace);
    const hostile =
      '{"end_call":{"secret":1,"__proto__":{"enabled":false}},"__proto__":{"end_call":null},"other":{}}';
    const body = `{"config":{"nativeTools":${hostile}}}`;
    const answer = await service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, { body });
    expect(answer.body.data.config).toEqual(config);
    expect(JSON.stringify(answer.body.data.config)).not.toContain('secret');
  });

  it.each<[string, Json]>([
    ['transfer_call.mode not_allowed', { transfer_call: { mode: null } }],
    ['transfer_call.mode not_allowed', { transfer_call: { mode: 'warm' } }],
    ['transfer_call.staticDestination invalid_type', { transfer_call: { staticDestination: null } }],
    [
      'transfer_call.staticDestination invalid_format',
      { transfer_call: { staticDestination: 'the office' } },
    ],
    [
      'transfer_call.staticDestination invalid_format',
      { transfer_call: { staticDestination: 'sip:a@10.0.0.1' } },
    ],
    ['transfer_call.staticDestination required', { transfer_call: { enabled: true } }],
    ['send_sms.smsContentType not_allowed', { send_sms: { smsContentType: null } }],
    ['send_sms.smsStaticMessage too_big', { send_sms: { smsStaticMessage: 'a'.repeat(1601) } }],
    ['send_sms.smsStaticMessage invalid_type', { send_sms: { smsStaticMessage: null } }],
    ['send_sms.smsStaticMessage required', { send_sms: { enabled: true, smsContentType: 'static' } }],
    ['end_call.enabled invalid_type', { end_call: { enabled: 'yes' } }],
    ['end_call invalid_type', { end_call: true }],
    ['end_call invalid_type', { end_call: [] }],
    ['send_sms invalid_type', { send_sms: 'on' }],
  ])('refuses %s and changes nothing', async (finding, nativeTools) => {
    const { id, config } = await service.addAssistant(workspace);
    const before = await toolsOf(id);
    // The valid parts of the same body are not applied either.
    expect(findings(await patch(id, { firstMessage: 'Hi', nativeTools }))).toEqual([
      `config.nativeTools.${finding}`,
    ]);
    expect((await service.get(workspace, `/v1/assistant/${id}`)).body.data.config).toEqual(config);
    expect(await toolsOf(id)).toEqual(before);
  });

  it.each<[string, Json]>([
    ['text', 'all'],
    ['a list', []],
    ['true', true],
  ])('refuses nativeTools that are %s', async (_words, nativeTools) => {
    const { id } = await service.addAssistant(workspace);
    expect(findings(await patchEntries(id, nativeTools))).toEqual(['config.nativeTools invalid_type']);
  });

  it('refuses to clear what an enabled static tool requires', async () => {
    const { id } = await service.addAssistant(workspace, {
      nativeTools: { transfer_call: transfer, send_sms: sms },
    });
    const change = { transfer_call: { staticDestination: '' }, send_sms: { smsStaticMessage: ' ' } };
    expect(findings(await patchEntries(id, change))).toEqual([
      'config.nativeTools.transfer_call.staticDestination required',
      'config.nativeTools.send_sms.smsStaticMessage required',
    ]);
  });
});

describe('toolIds of PATCH /v1/assistant/{id}', () => {
  it("keeps only the assistant's own tools, each once, in the sent order", async () => {
    const { id, config } = await service.addAssistant(workspace);
    const [one, two] = [
      await service.addTool(workspace, id),
      await service.addTool(workspace, id, { tool_name: 'b' }),
    ];
    const foreign = await service.addAssistant(newWorkspace());
    const sibling = await service.addAssistant(workspace);
    const listed = [two.id, foreign.config.toolIds[0], one.id.toUpperCase(), randomUUID(), two.id];
    const answer = await patch(id, { toolIds: [...listed, sibling.config.toolIds[0]] });
    expect(answer.body.data.config.toolIds).toEqual([two.id, one.id, config.toolIds[0]]);
  });

  it('follow nativeTools if the two disagree', async () => {
    const { id, config } = await service.addAssistant(workspace, { nativeTools: { send_sms: sms } });
    const { end_call: endCall, send_sms: sendSms } = await toolsOf(id);
    const emptied = await patch(id, { toolIds: [] });
    expect([...emptied.body.data.config.toolIds].sort()).toEqual([...config.toolIds].sort());
    const both = await patch(id, { toolIds: [sendSms.id, endCall.id], nativeTools: { send_sms: null } });
    expect(both.body.data.config.toolIds).toEqual([endCall.id]);
    const listed = await patch(id, { toolIds: [sendSms.id, endCall.id] });
    expect(listed.body.data.config).toMatchObject({
      toolIds: [endCall.id],
      nativeTools: { send_sms: { enabled: false } },
    });
  });

  it('null removes all custom tools from them without deleting the tools', async () => {
    const { id, config } = await service.addAssistant(workspace);
    const tool = await service.addTool(workspace, id);
    expect((await patch(id, { toolIds: null })).body.data.config.toolIds).toEqual(config.toolIds);
    expect(Object.keys(await toolsOf(id)).sort()).toEqual([tool.tool_name, 'end_call']);
  });
});
