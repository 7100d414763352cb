import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

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

const assistant = async (): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${agentId}`)).body.data;
const addNative = async (fields: Json): Promise<Json> =>
  (await service.post(workspace, '/v1/tool/native', { agent_id: agentId, ...fields })).body.data;

describe('DELETE /v1/tool/{id}', () => {
  it('answers 204 with no body, and removes the tool [tools.5]', async () => {
    const { id } = await service.addTool(workspace, agentId);
    const { status, text } = await service.remove(workspace, `/v1/tool/${id.toUpperCase()}`);
    expect([status, text]).toEqual([204, '']);
    expect((await service.get(workspace, `/v1/tool/${id}`)).status).toBe(404);
  });

  it("removes the tool's id from toolIds and changes nothing else of the assistant [tools.3]", async () => {
    const before = await assistant();
    const { id } = await service.addTool(workspace, agentId);
    const kept = await service.addTool(workspace, agentId, { tool_name: 'kept' });
    await service.remove(workspace, `/v1/tool/${id}`);
    const after = await assistant();
    expect(after.config).toEqual({ ...before.config, toolIds: [...before.config.toolIds, kept.id] });
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('switches a native tool off in nativeTools and keeps its settings', async () => {
    const settings = { sms_content_type: 'static', sms_static_message: 'Hi' };
    const { id } = await addNative({ tool_name: 'send_sms', ...settings });
    const before = (await assistant()).config;
    expect((await service.remove(workspace, `/v1/tool/${id}`)).status).toBe(204);
    const { config } = await assistant();
    expect(config).toEqual({
      ...before,
      toolIds: before.toolIds.filter((toolId: string) => toolId !== id),
      nativeTools: {
        ...before.nativeTools,
        send_sms: { enabled: false, smsContentType: 'static', smsStaticMessage: 'Hi' },
      },
    });
  });

  it('lets the tool be added again, with its own defaults and without the old carrier account', async () => {
    const telco = { telco_account_sid: 'AC-sid', telco_auth_token: 'the-token' };
    const first = await addNative({ tool_name: 'send_sms', ...telco });
    await service.remove(workspace, `/v1/tool/${first.id}`);
    const again = await addNative({ tool_name: 'send_sms' });
    expect(again).toMatchObject({ telco_account_sid: null, sms_content_type: 'prompt' });
    expect(again.id).not.toBe(first.id);
    expect((await assistant()).config.nativeTools.send_sms.enabled).toBe(true);
  });

  it('deletes a tool that is not in use', async () => {
    const { id } = await service.addTool(workspace, agentId);
    const body = { config: { toolIds: [] } };
    await service.ask(workspace, 'PATCH', `/v1/assistant/${agentId}`, { body });
    expect((await service.remove(workspace, `/v1/tool/${id}`)).status).toBe(204);
  });

  it('increments the version and publishes the change', async () => {
    const { id } = await service.addTool(workspace, agentId);
    await service.remove(workspace, `/v1/tool/${id}`);
    await eventually(() => {
      const messages = service.bus
        .received('assistant.updated')
        .filter(({ data }) => data.agent_id === agentId);
      expect(messages.map(({ data }) => data.version)).toEqual([1, 2, 3]);
    });
  });

  it('answers 404 alike for a tool that is missing, deleted or in another workspace', async () => {
    const { id: gone } = await service.addTool(workspace, agentId);
    await service.remove(workspace, `/v1/tool/${gone}`);
    const stranger = newWorkspace();
    const foreign = await service.addTool(stranger, (await service.addAssistant(stranger)).id);
    const answers = [];
    for (const id of [randomUUID(), gone, foreign.id]) {
      answers.push(await service.remove(workspace, `/v1/tool/${id}`));
    }
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await service.get(stranger, `/v1/tool/${foreign.id}`)).status).toBe(200);
  });

  it('answers 422 for an id that is not a UUID', async () => {
    expect(findings(await service.remove(workspace, '/v1/tool/7'))).toEqual(['id invalid_format']);
  });
});
