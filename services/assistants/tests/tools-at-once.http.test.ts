import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Booted,
  customTool,
  type Harness,
  type HttpAnswer,
  type Json,
  newWorkspace,
  startHarness,
} from './harness.ts';

// Two processes, so that the row lock is tested and not only the queue within a process.
let service: Harness;
let second: Booted;
const workspace = newWorkspace();
let agentId: string;

beforeAll(async () => {
  service = await startHarness();
  second = await service.boot();
});
afterAll(() => service.close());
beforeEach(async () => {
  agentId = (await service.addAssistant(workspace)).id;
});

const twenty = [...Array(20).keys()];
/** Sends requests to the two processes alternately. */
const ask = (n: number, method: string, path: string, body?: unknown): Promise<HttpAnswer> =>
  service.ask(workspace, method, path, { body, ...(n % 2 === 0 ? {} : { at: second }) });
const statuses = (answers: HttpAnswer[]): number[] => answers.map(({ status }) => status).sort();
const assistant = async (): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${agentId}`)).body.data;
const list = async (): Promise<Json[]> =>
  (await service.post(workspace, '/v1/tool/list', { agent_id: agentId, size: 100 })).body.data;
/** `toolIds` and `nativeTools` match the rows in `tools` exactly. */
const expectOneStory = async (): Promise<void> => {
  const { toolIds, nativeTools } = (await assistant()).config;
  const tools = await list();
  expect([...toolIds].sort()).toEqual(tools.map(({ id }) => id).sort());
  for (const name of ['end_call', 'transfer_call', 'send_sms']) {
    expect(nativeTools[name].enabled).toBe(tools.some(({ tool_name }) => tool_name === name));
  }
};

describe('concurrent changes of tools by two processes', () => {
  it('creates one of 20 tools with the same name, and answers 409 to the others', async () => {
    const answers = await Promise.all(
      twenty.map((n) => ask(n, 'POST', '/v1/tool/custom', customTool(agentId))),
    );
    expect(statuses(answers)).toEqual([201, ...Array(19).fill(409)]);
    await expectOneStory();
  });

  it('creates all of 20 tools with different names, and lists them all in toolIds', async () => {
    const answers = await Promise.all(
      twenty.map((n) =>
        ask(n, 'POST', '/v1/tool/custom', { ...customTool(agentId), tool_name: `tool_${n}` }),
      ),
    );
    expect(statuses(answers)).toEqual(Array(20).fill(201));
    expect((await assistant()).config.toolIds).toHaveLength(21);
    await expectOneStory();
  });

  it('creates one of two native tools with the same name, and answers 409 to the other', async () => {
    const body = { agent_id: agentId, tool_name: 'send_sms' };
    const answers = await Promise.all([0, 1].map((n) => ask(n, 'POST', '/v1/tool/native', body)));
    expect(statuses(answers)).toEqual([201, 409]);
    await expectOneStory();
  });

  it('lets one of 20 renames to the same name succeed, and answers 409 to the others', async () => {
    const tools = await Promise.all(
      twenty.map((n) => service.addTool(workspace, agentId, { tool_name: `tool_${n}` })),
    );
    const answers = await Promise.all(
      tools.map(({ id }, n) => ask(n, 'PUT', `/v1/tool/custom/${id}`, { tool_name: 'the_one' })),
    );
    expect(statuses(answers)).toEqual([200, ...Array(19).fill(409)]);
    expect((await list()).filter(({ tool_name }) => tool_name === 'the_one')).toHaveLength(1);
  });

  it('applies updates of different fields of one tool', async () => {
    const { id } = await service.addTool(workspace, agentId);
    const changes = [{ description: 'New' }, { timeout_seconds: 60 }, { headers: { a: 'b' } }];
    const answers = await Promise.all(changes.map((body, n) => ask(n, 'PUT', `/v1/tool/custom/${id}`, body)));
    expect(statuses(answers)).toEqual([200, 200, 200]);
    const { body } = await service.get(workspace, `/v1/tool/${id}`);
    expect(body.data).toMatchObject({
      description: 'New',
      timeout_seconds: 60,
      headers: { a: '********' },
    });
  });

  it('removes the tool everywhere after deletions and updates', async () => {
    const native = (await assistant()).config.toolIds[0];
    const custom = await service.addTool(workspace, agentId);
    const answers = await Promise.all([
      ...twenty.map((n) => ask(n, 'PUT', `/v1/tool/custom/${custom.id}`, { description: `${n}` })),
      ask(0, 'DELETE', `/v1/tool/${custom.id}`),
      ask(1, 'DELETE', `/v1/tool/${custom.id}`),
      ...twenty.map((n) => ask(n, 'PUT', `/v1/tool/native/${native}`, { description: `${n}` })),
      ask(1, 'DELETE', `/v1/tool/${native}`),
    ]);
    const deletions = [answers[20], answers[21], answers[42]].map((answer) => answer?.status);
    expect(deletions.slice(0, 2).sort()).toEqual([204, 404]);
    expect(deletions[2]).toBe(204);
    for (const { status } of answers) expect([200, 204, 404]).toContain(status);
    expect(await list()).toEqual([]);
    await expectOneStory();
  });

  it('loses no change of the assistant or its tools', async () => {
    const names = ['transfer_call', 'send_sms'];
    const answers = await Promise.all([
      ...twenty.map((n) =>
        ask(n, 'POST', '/v1/tool/custom', { ...customTool(agentId), tool_name: `tool_${n}` }),
      ),
      ...twenty.map((n) => ask(n, 'PATCH', `/v1/assistant/${agentId}`, { config: { [`key_${n}`]: n } })),
      ...names.map((tool_name, n) =>
        ask(n, 'POST', '/v1/tool/native', {
          agent_id: agentId,
          tool_name,
          transfer_call_destination: '+14155550123',
        }),
      ),
    ]);
    expect(statuses(answers)).toEqual([...Array(20).fill(200), ...Array(22).fill(201)]);
    const { config } = await assistant();
    for (const n of twenty) expect(config[`key_${n}`]).toBe(n);
    expect(config.toolIds).toHaveLength(23);
    await expectOneStory();
  });
});
