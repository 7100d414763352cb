import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type HttpAnswer, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());
afterEach(() => service.campaigns.link.restore());

const remove = (id: string, ws = workspace): Promise<HttpAnswer> =>
  service.ask(ws, 'DELETE', `/v1/assistant/${id}`);
const statusOf = async (path: string, ws = workspace): Promise<number> =>
  (await service.get(ws, path)).status;
const deletionsOf = (id: string) =>
  service.bus.received('assistant.deleted').filter(({ data }) => data.agent_id === id);

describe('DELETE /v1/assistant/{id}', () => {
  it('answers 204 with no body, and removes the assistant and its tools', async () => {
    const { id, config } = await service.addAssistant(workspace);
    const tool = await service.addTool(workspace, id);
    const { status, text } = await remove(id.toUpperCase());
    expect([status, text]).toEqual([204, '']);
    expect(await statusOf(`/v1/assistant/${id}`)).toBe(404);
    for (const toolId of [tool.id, ...config.toolIds]) expect(await statusOf(`/v1/tool/${toolId}`)).toBe(404);
    expect((await service.post(workspace, '/v1/tool/list', { agent_id: id })).status).toBe(404);
    const briefs = await service.callAsService(workspace, 'POST', '/internal/assistants/briefs', {
      agent_ids: [id],
    });
    expect(briefs.body.data).toEqual([]);
    expect(await service.sql.$queryRaw`SELECT 1 FROM tools WHERE agent_id = ${id}::uuid`).toEqual([]);
  });

  it('publishes assistant.deleted once, with a version above all published ones', async () => {
    const { id } = await service.addAssistant(workspace);
    await service.addTool(workspace, id);
    await Promise.all([remove(id), remove(id), remove(id)]);
    await eventually(() => expect(deletionsOf(id)).toHaveLength(1));
    expect(deletionsOf(id)[0]).toMatchObject({ workspace_id: workspace, data: { agent_id: id, version: 3 } });
    const { id: last } = await service.addAssistant(workspace);
    await remove(last);
    // Messages leave in the order of their commits.
    await eventually(() => expect(deletionsOf(last)).toHaveLength(1));
    expect(deletionsOf(id)).toHaveLength(1);
  });

  it('blocks new campaigns before the assistant is deleted', async () => {
    const { id } = await service.addAssistant(workspace);
    await remove(id);
    expect(service.campaigns.retired).toContainEqual({ workspaceId: workspace, kind: 'assistant', id });
  });

  it('answers 409 CONFLICT while a live campaign uses it, and reports the campaign and its status', async () => {
    const before = await service.addAssistant(workspace);
    const campaign = {
      campaign_id: randomUUID(),
      campaign_name: 'Spring "sale"',
      status: 'dormant',
    } as const;
    service.campaigns.users.set(before.id, campaign);
    const { status, body } = await remove(before.id);
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(body.error.message).toContain('Spring "sale"');
    expect(body.error.message).toContain('dormant');
    expect((await service.get(workspace, `/v1/assistant/${before.id}`)).body.data).toEqual(before);
    service.campaigns.users.delete(before.id);
    expect((await remove(before.id)).status).toBe(204);
  });

  it('answers 503 while campaigns is unavailable, and deletes nothing', async () => {
    const { id } = await service.addAssistant(workspace);
    service.campaigns.link.cut();
    const { status, body, headers } = await remove(id);
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(`/v1/assistant/${id}`)).toBe(200);
    expect(deletionsOf(id)).toEqual([]);
  });

  it('answers 404 the second time', async () => {
    const { id } = await service.addAssistant(workspace);
    expect((await remove(id)).status).toBe(204);
    const { status, body } = await remove(id);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('answers 404 for an assistant of another workspace like an unknown one, without calling campaigns', async () => {
    const other = newWorkspace();
    const { id } = await service.addAssistant(other);
    const asked = service.campaigns.retired.length;
    const [foreign, none] = [await remove(id), await remove(randomUUID())];
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(none.body);
    expect(service.campaigns.retired).toHaveLength(asked);
    expect(await statusOf(`/v1/assistant/${id}`, other)).toBe(200);
  });

  it('answers 422 for an id that is not a UUID', async () => {
    expect(findings(await remove('nope'))).toEqual(['id invalid_format']);
  });
});
