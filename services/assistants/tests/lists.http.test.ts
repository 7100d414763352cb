import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Statement, sql } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import { pageOfAll, pageOfSearch } from '../src/assistants/assistant-page.ts';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());

const list = (workspace: string, body: Json = {}) => service.post(workspace, '/v1/assistant/list', body);
const planOf = async (statement: Statement): Promise<string> => {
  const lines = await service.sql.$queryRaw<Json[]>(sql`EXPLAIN ${statement}`);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
};
const names = ({ body }: Json): string[] => body.data.map((item: Json) => item.agent_name);

describe('POST /v1/assistant/list', () => {
  it('answers page 1 of an empty list with an empty page', async () => {
    const { status, body } = await list(newWorkspace());
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: [], pagination: { total: 0, count: 0, next_cursor: null } });
  });

  it('returns an extract of the configuration', async () => {
    const workspace = newWorkspace();
    const { id, updated_at } = await service.addAssistant(workspace, {
      systemPrompt: 'Be brief.',
      voice: { speed: 1.5, mine: { b: 1, a: null } },
    });
    const { body } = await list(workspace);
    expect(body.data).toEqual([
      {
        id,
        agent_name: 'Ada',
        updated_at,
        config: {
          systemPrompt: 'Be brief.',
          voice: { voiceId: 'aria', speed: 1.5, mine: { b: 1, a: null } },
        },
        inbound_phone_number: null,
        outbound_phone_number: null,
      },
    ]);
  });

  it('pages through assistants, most recently edited first, each once [assistants.4]', async () => {
    const workspace = newWorkspace();
    const added: Json[] = [];
    for (const name of ['a', 'b', 'c']) added.push(await service.addAssistant(workspace, {}, name));
    await service.addTool(workspace, added[0].id);
    const first = await list(workspace, { size: 2 });
    expect(names(first)).toEqual(['a', 'c']);
    expect(first.body.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    const second = await list(workspace, { size: 2, page: 2 });
    expect(names(second)).toEqual(['b']);
    expect(second.body.pagination).toEqual({ total: 3, count: 1, next_cursor: null });
  });

  it('reads large pages in steps, with the same items in the same order and the same total', async () => {
    const workspace = newWorkspace();
    const prompts = Array.from({ length: 8 }, (_, i) => `${i}${'€'.repeat(i % 3 === 2 ? 10 : 60_000)}`);
    const ids: string[] = [];
    for (const systemPrompt of prompts)
      ids.push((await service.addAssistant(workspace, { systemPrompt })).id);
    await service.sql
      .$executeRaw`INSERT INTO number_links VALUES (gen_random_uuid(), ${workspace}::uuid, ${'+14155550123'}, ${ids[0]}::uuid, NULL, 1)`;
    const searches = [{ search: 'ad', size: 10 }, { size: 10 }];
    for (const search of searches) {
      const { body } = await list(workspace, search);
      expect(body.data.map(({ id }: Json) => id)).toEqual(ids.toReversed());
      expect(body.data.map(({ config }: Json) => config.systemPrompt)).toEqual(prompts.toReversed());
      expect(body.data[7].inbound_phone_number).toBe('+14155550123');
      expect(body.pagination).toEqual({ total: 8, count: 8, next_cursor: null });
    }
    const second = await list(workspace, { size: 3, page: 2 });
    expect(second.body.data.map(({ id }: Json) => id)).toEqual(ids.toReversed().slice(3, 6));
    expect(second.body.pagination).toEqual({ total: 8, count: 3, next_cursor: '3' });
  });

  it('answers 503 if the database is too slow, and does not block changes', async () => {
    const at = await service.boot({ READ_TIMEOUT_MS: '300' });
    const workspace = newWorkspace();
    const { id } = await service.addAssistant(workspace);
    const locked = service.sql
      .$executeRaw`DO $$ BEGIN LOCK TABLE assistants IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(1.5); END $$`;
    await eventually(async () => {
      const rows = await service.sql.$queryRaw<
        Json[]
      >`SELECT FROM pg_locks WHERE relation = 'assistants'::regclass AND mode = 'AccessExclusiveLock' AND granted`;
      expect(rows).toHaveLength(1);
    });
    const change = service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, {
      at,
      body: { agent_name: 'Eve' },
    });
    const read = await service.ask(workspace, 'POST', '/v1/assistant/list', { at, body: {} });
    expect([read.status, read.headers.get('retry-after')]).toEqual([503, '5']);
    expect(read.body.error).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The read took longer than 0.3 seconds and was cancelled: narrow it by search',
    });
    expect((await service.ask(workspace, 'GET', `/v1/assistant/${id}`, { at })).body.error.message).toBe(
      'The read took longer than 0.3 seconds and was cancelled: try again later',
    );
    expect((await change).status).toBe(200);
    await locked;
  });

  it.each([3, 2_147_483_647])('answers 500 for page %i, which is past the last one', async (page) => {
    const workspace = newWorkspace();
    await service.addAssistant(workspace);
    const { status, body } = await list(workspace, { page, size: 100 });
    expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
  });

  it('searches for a substring of the name, case-insensitively and as plain text', async () => {
    const workspace = newWorkspace();
    for (const name of ['100% Ada', 'ÄRZTE_dienst', 'back\\slash'])
      await service.addAssistant(workspace, {}, name);
    const found = async (search: string): Promise<string[]> => names(await list(workspace, { search }));
    expect(await found('ada')).toEqual(['100% Ada']);
    expect(await found('ärzte')).toEqual(['ÄRZTE_dienst']);
    expect(await found('%')).toEqual(['100% Ada']);
    expect(await found('_')).toEqual(['ÄRZTE_dienst']);
    expect(await found('\\')).toEqual(['back\\slash']);
    expect(await found('nobody')).toEqual([]);
    expect(await found('%'.repeat(255))).toEqual([]);
  });

  it.each([
    ['decomposed letters', 'Cafe\u0301', 'CAFÉ'],
    ['letters with a case of their own', 'Straße ǅ', 'STRAẞE'],
    ['a sigma at the end of a word', 'ΟΔΟΣΑ ΟΔΟΣ', 'οδος'],
    ['a dotted capital I', 'İzmir', 'İZM'],
    ['a name as long as names are', 'Ñ'.repeat(255), 'ñ'.repeat(255)],
    ['a letter beyond the first plane', 'Robot 🤖', '🤖'],
  ])('finds %s', async (_, name, search) => {
    const workspace = newWorkspace();
    await service.addAssistant(workspace, {}, name);
    await service.addAssistant(workspace, {}, 'Other');
    const { body } = await list(workspace, { search });
    expect(body).toMatchObject({ data: [{ agent_name: name }], pagination: { total: 1 } });
  });

  it('counts and searches through one index, and reads documents only for the page', async () => {
    const workspace = newWorkspace();
    for (const name of ['a', 'b', 'c']) await service.addAssistant(workspace, {}, name);
    await service.sql
      .$executeRaw`INSERT INTO assistants (id, workspace_id, agent_name, agent_type, config, version, created_at, updated_at)
       SELECT gen_random_uuid(), workspace_id, agent_name || n, agent_type, config, 1, now(), now() - interval '1 day'
       FROM assistants, generate_series(1, 1000) n WHERE workspace_id = ${workspace}::uuid`;
    await eventually(async () => {
      // Skips rows that another transaction may still see.
      await service.sql.$executeRaw`VACUUM ANALYZE assistants`;
      const page = { limit: 10, offset: 60 };
      const plans = [pageOfAll(workspace, page), pageOfSearch(workspace, { ...page, search: 'A1' })];
      for (const plan of await Promise.all(plans.map(planOf))) {
        expect(plan).toContain('Index Only Scan using assistants_list_idx on assistants');
        expect(plan).toContain('assistants_pkey');
        expect(plan).not.toContain('Seq Scan on assistants');
      }
    });
  });

  it('finds the first number of each assistant with one probe, even if thousands of numbers use one assistant', async () => {
    const workspace = newWorkspace();
    const { id } = await service.addAssistant(workspace);
    for (let i = 0; i < 10; i += 1) await service.addAssistant(workspace);
    await service.sql
      .$executeRaw`INSERT INTO number_links SELECT gen_random_uuid(), ${workspace}::uuid, '+1415' || n, ${id}::uuid, ${id}::uuid, 1
       FROM generate_series(5550000, 5559999) n`;
    await service.sql.$executeRaw`ANALYZE number_links`;
    const plan = await planOf(pageOfAll(workspace, { limit: 10, offset: 0 }));
    expect(plan).toContain('Index Scan using number_links_inbound_idx');
    expect(plan).toContain('Index Scan using number_links_outbound_idx');
    const [first] = await service.sql.$queryRaw<
      Json[]
    >`SELECT phone_number FROM number_links WHERE inbound_agent_id = ${id}::uuid ORDER BY phone_number_id LIMIT 1`;
    const { body } = await list(workspace, { size: 100 });
    expect(body.data.find((item: Json) => item.id === id)).toMatchObject({
      inbound_phone_number: first.phone_number,
      outbound_phone_number: first.phone_number,
    });
  });

  it('shows nothing of other workspaces', async () => {
    await service.addAssistant(newWorkspace());
    expect((await list(newWorkspace())).body.pagination.total).toBe(0);
  });

  it.each<[string, Json]>([
    ['page too_small', { page: 0 }],
    ['page invalid_type', { page: 1.5 }],
    ['size too_small', { size: 0 }],
    ['size too_big', { size: 101 }],
    ['search too_small', { search: '' }],
    ['search invalid_type', { search: 7 }],
  ])('refuses %s', async (finding, body) => {
    expect(findings(await list(newWorkspace(), body))).toEqual([finding]);
  });
});

describe('phone-number.updated', () => {
  const publish = (workspace: string, number: Json) =>
    service.bus.publish('phone-number.updated', workspace, {
      phone_number_id: randomUUID(),
      phone_number: '+14155550123',
      version: 1,
      inbound_agent_id: null,
      outbound_agent_id: null,
      is_active: true,
      ...number,
    });
  const numbersOf = async (workspace: string): Promise<(string | null)[]> => {
    const { body } = await list(workspace);
    return [body.data[0].inbound_phone_number, body.data[0].outbound_phone_number];
  };

  it("shows the numbers that name an assistant in the list's items", async () => {
    const workspace = newWorkspace();
    const { id } = await service.addAssistant(workspace);
    await publish(workspace, { inbound_agent_id: id });
    await publish(workspace, { phone_number: '+14155550124', outbound_agent_id: id });
    await eventually(async () =>
      expect(await numbersOf(workspace)).toEqual(['+14155550123', '+14155550124']),
    );
  });

  it('accepts only higher versions, so late and repeated messages are harmless', async () => {
    const workspace = newWorkspace();
    const { id } = await service.addAssistant(workspace);
    const number = { phone_number_id: randomUUID(), inbound_agent_id: id };
    await publish(workspace, { ...number, outbound_agent_id: id, version: 3 });
    await eventually(async () =>
      expect(await numbersOf(workspace)).toEqual(['+14155550123', '+14155550123']),
    );
    await publish(workspace, { ...number, inbound_agent_id: null, version: 2 });
    await publish(workspace, { ...number, version: 4 });
    await eventually(async () => expect(await numbersOf(workspace)).toEqual(['+14155550123', null]));
  });

  it("does not show another workspace's number", async () => {
    const workspace = newWorkspace();
    const { id } = await service.addAssistant(workspace);
    await publish(newWorkspace(), { inbound_agent_id: id });
    await publish(workspace, { phone_number: '+14155550125', outbound_agent_id: id });
    await eventually(async () => expect(await numbersOf(workspace)).toEqual([null, '+14155550125']));
  });

  it('removes the number with phone-number.deleted, and a late message does not restore it', async () => {
    const workspace = newWorkspace();
    const { id } = await service.addAssistant(workspace);
    const number = { phone_number_id: randomUUID(), phone_number: '+14155550126' };
    await publish(workspace, { ...number, inbound_agent_id: id });
    await eventually(async () => expect(await numbersOf(workspace)).toEqual(['+14155550126', null]));
    await service.bus.publish('phone-number.deleted', workspace, { ...number, version: 3 });
    await eventually(async () => expect(await numbersOf(workspace)).toEqual([null, null]));
    const late = await publish(workspace, { ...number, inbound_agent_id: id, version: 2 });
    await eventually(async () => {
      const rows = await service.sql.$queryRaw<Json[]>`SELECT FROM inbox WHERE message_id = ${late}`;
      expect(rows).toHaveLength(1);
    });
    expect(await numbersOf(workspace)).toEqual([null, null]);
  });
});
