import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Statement, sql } from '@parley/kit/db';
import type { Actor } from '@parley/kit/http';
import { eventually } from '@parley/testkit';
import { ofAll, pageOf } from '../src/tools/tools.store.ts';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

// The list of all tools, which the dashboard's page of tools shows [tools.26] [dashboard.69].

let service: Harness;
/** Two assistants with a native and two custom tools. */
let workspace: string;
let [ada, bea]: Json[] = [];

beforeAll(async () => {
  service = await startHarness();
  workspace = newWorkspace();
  ada = await service.addAssistant(workspace, { nativeTools: { end_call: null } }, 'Ada Straße');
  bea = await service.addAssistant(workspace, {}, 'Bea');
  await service.addTool(workspace, ada.id, { tool_name: 'find_doctor', headers: { 'X-Key': 'secret' } });
  await service.addTool(workspace, bea.id, { tool_name: 'book', endpoint_url: 'https://Clinic.example/b' });
});
afterAll(() => service.close());

const list = (of: string, query = '') => service.ask(of, 'GET', `/v1/tool${query}`);
const names = ({ body }: Json): string[] => body.data.map((tool: Json) => tool.tool_name);

describe('GET /v1/tool', () => {
  it('returns the tools of all assistants, newest first, with the name of each assistant [tools.26]', async () => {
    const { status, body } = await list(workspace);
    expect(status).toBe(200);
    expect(body.data.map((tool: Json) => [tool.tool_name, tool.agent_id, tool.agent_name])).toEqual([
      ['book', bea.id, 'Bea'],
      ['find_doctor', ada.id, 'Ada Straße'],
      ['end_call', bea.id, 'Bea'],
    ]);
    expect(body.data[1].headers).toEqual({ 'X-Key': '********' });
    expect(body.pagination).toEqual({ total: 3, count: 3, next_cursor: null });
    const single = await service.get(workspace, `/v1/tool/${body.data[0].id}`);
    expect(body.data[0]).toEqual({ ...single.body.data, agent_name: 'Bea' });
  });

  it('returns each once over the pages, and nothing past the end [general.13]', async () => {
    const first = await list(workspace, '?limit=2');
    expect(names(first)).toEqual(['book', 'find_doctor']);
    expect(first.body.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    const second = await list(workspace, '?limit=2&offset=2');
    expect(names(second)).toEqual(['end_call']);
    expect(second.body.pagination).toEqual({ total: 3, count: 1, next_cursor: null });
    expect((await list(workspace, '?offset=9')).body).toMatchObject({ data: [], pagination: { total: 3 } });
  });

  it.each([
    ['?search=DOCTOR', ['find_doctor']],
    ['?search=clinic.EX', ['book']],
    ['?search=stra%C3%9Fe', ['find_doctor']],
    ['?search=be', ['book', 'end_call']],
    ['?search=%25', []],
    ['?kind=native', ['end_call']],
    ['?kind=custom', ['book', 'find_doctor']],
    ['?kind=custom&search=be', ['book']],
  ])('finds by name, endpoint and assistant, and by kind: %s', async (query, expected) => {
    const answer = await list(workspace, query);
    expect(names(answer)).toEqual(expected);
    expect(answer.body.pagination.total).toBe(expected.length);
  });

  it.each([
    ['?limit=0', 'limit too_small'],
    ['?limit=101', 'limit too_big'],
    ['?offset=-1', 'offset invalid_format'],
    ['?search=', 'search too_small'],
    [`?search=${'a'.repeat(256)}`, 'search too_big'],
    ['?kind=other', 'kind not_allowed'],
  ])('refuses %s', async (query, finding) => {
    expect(findings(await list(workspace, query))).toEqual([finding]);
  });

  it('shows nothing of other workspaces', async () => {
    const stranger = newWorkspace();
    for (const query of ['', '?search=book', '?search=Ada'])
      expect((await list(stranger, query)).body.pagination.total).toBe(0);
  });

  it('is for members, viewers included, and not for a key of some assistants [tools.26] [trust.9]', async () => {
    const id = randomUUID();
    const as = (actor: Actor) => service.ask(workspace, 'GET', '/v1/tool', { actor });
    expect((await as({ kind: 'member', id, role: 'viewer' })).status).toBe(200);
    const scope = { readOnly: true, agentIds: [ada.id] };
    const answer = await as({ kind: 'key', id, scope });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
    // The other list is of one assistant.
    expect(findings(await service.post(workspace, '/v1/tool/list', {}))).toEqual(['agent_id required']);
  });

  it('is counted and put in order by one index, however many tools others have', async () => {
    const [large, others] = [newWorkspace(), newWorkspace()];
    for (const of of [large, others]) await service.addTool(of, (await service.addAssistant(of)).id);
    const multiply = (of: string, count: number) => service.sql.$executeRaw`
      INSERT INTO tools (id, workspace_id, agent_id, tool_name, is_native, endpoint_url, http_method, header_names,
        timeout_seconds, created_at, updated_at)
      SELECT gen_random_uuid(), a.workspace_id, a.id, 'tool_' || n, false, 'https://example.com/' || n, 'GET', '{}', 30,
        now() - n * interval '1 minute', now()
      FROM assistants a, generate_series(1, ${count}::int) n WHERE a.workspace_id = ${of}::uuid`;
    await multiply(large, 500);
    await multiply(others, 20_000);
    await eventually(async () => {
      await service.sql.$executeRaw`VACUUM ANALYZE tools`;
      const plan = await planOf(pageOf(ofAll(large, {}), { limit: 50, offset: 100 }));
      expect(plan.match(/Index Only Scan using tools_list_idx/g)).toHaveLength(2);
      expect(plan).not.toContain('Seq Scan on tools');
    });
    const { body } = await list(large, '?limit=100');
    expect(body.pagination).toEqual({ total: 502, count: 100, next_cursor: '100' });
  });
});

const planOf = async (statement: Statement): Promise<string> => {
  const lines = await service.sql.$queryRaw<Json[]>(sql`EXPLAIN ${statement}`);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
};
