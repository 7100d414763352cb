import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { knowledge } from './knowledge.ts';

let service: Harness;
let { add, addDocument }: ReturnType<typeof knowledge> = {} as never;
const PATH = '/v1/knowledge-base';
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
  ({ add, addDocument } = knowledge(service));
});
afterAll(() => service.close());

const assistant = async (id: string): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${id}`)).body.data;

describe('POST /v1/knowledge-base', () => {
  it('answers 201 with the new, empty knowledge base and its trimmed name [knowledge.1]', async () => {
    const { status, body } = await service.post(workspace, PATH, { name: '  House rules ' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'House rules',
      document_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.data.created_at,
    });
    const read = await service.get(workspace, `${PATH}/${body.data.id}`);
    expect([read.status, read.body]).toEqual([200, body]);
  });

  it.each([
    [{}, 'name required'],
    [{ name: '' }, 'name too_small'],
    [{ name: ' \n' }, 'name too_small'],
    [{ name: 'x'.repeat(256) }, 'name too_big'],
    [{ name: null }, 'name invalid_type'],
    [{ name: 'a\0b' }, 'name invalid_format'],
    [{ name: 'a\ud800b' }, 'name invalid_format'],
  ])('refuses %j', async (body, finding) => {
    expect(findings(await service.post(workspace, PATH, body))).toEqual([finding]);
  });

  it('creates one knowledge base per Idempotency-Key, however often it is sent', async () => {
    const own = newWorkspace();
    const send = () => service.post(own, PATH, { name: 'Once' }, { 'idempotency-key': 'k1' });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await service.get(own, PATH)).body.pagination.total).toBe(1);
  });
});

describe('GET /v1/knowledge-base', () => {
  const names = ({ body }: Json): string[] => body.data.map(({ name }: Json) => name);

  it('answers an empty list with an empty page', async () => {
    const { status, body } = await service.get(newWorkspace(), PATH);
    expect([status, body]).toEqual([
      200,
      { success: true, data: [], pagination: { total: 0, count: 0, next_cursor: null } },
    ]);
  });

  it('pages through the list, newest first, each once; an offset past the end is an empty page', async () => {
    const own = newWorkspace();
    for (const name of ['a', 'b', 'c']) await add(own, name);
    const first = await service.get(own, `${PATH}?limit=2`);
    expect([names(first), first.body.pagination]).toEqual([
      ['c', 'b'],
      { total: 3, count: 2, next_cursor: '2' },
    ]);
    const second = await service.get(own, `${PATH}?limit=2&offset=2`);
    expect([names(second), second.body.pagination]).toEqual([
      ['a'],
      { total: 3, count: 1, next_cursor: null },
    ]);
    const past = await service.get(own, `${PATH}?offset=3`);
    expect([past.status, past.body.data, past.body.pagination.next_cursor]).toEqual([200, [], null]);
  });

  it('searches for a substring of the name, case-insensitively and as plain text', async () => {
    const own = newWorkspace();
    for (const name of ['100% Rules', 'ÄRZTE_liste', 'Straße']) await add(own, name);
    const found = async (search: string): Promise<string[]> =>
      names(await service.get(own, `${PATH}?search=${encodeURIComponent(search)}`));
    expect(await found('rules')).toEqual(['100% Rules']);
    expect(await found('ärzte')).toEqual(['ÄRZTE_liste']);
    expect(await found('%')).toEqual(['100% Rules']);
    expect(await found('nothing')).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'offset=1.5', 'search='])(
    'refuses ?%s',
    async (query) => {
      const [finding] = findings(await service.get(workspace, `${PATH}?${query}`));
      expect(finding?.split(' ')[0]).toBe(query.split('=')[0]);
    },
  );
});

describe('GET /v1/knowledge-base/{id}', () => {
  it('answers 404 for an unknown id and 422 for a malformed one', async () => {
    const missing = await service.get(workspace, `${PATH}/${randomUUID()}`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(findings(await service.get(workspace, `${PATH}/nope`))).toEqual(['id invalid_format']);
  });
});

describe('DELETE /v1/knowledge-base/{id}', () => {
  it('answers 204 without a body and removes it with its documents', async () => {
    const id = await add(workspace);
    const document = await addDocument(workspace, id, 'Title', 'Some text.');
    const { status, text } = await service.remove(workspace, `${PATH}/${id.toUpperCase()}`);
    expect([status, text]).toEqual([204, '']);
    for (const path of ['', '/documents', `/documents/${document}`]) {
      expect((await service.get(workspace, `${PATH}/${id}${path}`)).status).toBe(404);
    }
    expect((await service.remove(workspace, `${PATH}/${id}`)).status).toBe(404);
    expect(JSON.stringify((await service.get(workspace, PATH)).body)).not.toContain(id);
  });

  it('is recorded in the audit log, as is the deletion of a document [trust.17]', async () => {
    const id = await add(workspace);
    const document = await addDocument(workspace, id, 'Title', 'Some text.');
    await service.remove(workspace, `${PATH}/${id}/documents/${document}`);
    await service.remove(workspace, `${PATH}/${id}`);
    const entries = () =>
      service.bus
        .received('audit.recorded')
        .flatMap(({ data }) =>
          [id, document].includes(data.target.id) ? [[data.action, data.changes]] : [],
        );
    await eventually(() =>
      expect(entries()).toEqual([
        ['knowledge_document.deleted', { knowledge_base_id: { from: id } }],
        ['knowledge_base.deleted', {}],
      ]),
    );
  });

  it('frees the storage of its documents, in batches', async () => {
    const id = await add(workspace);
    for (let i = 0; i < 5; i += 1) await addDocument(workspace, id, `Note ${i}`, 'Some text.');
    await service.remove(workspace, `${PATH}/${id}`);
    const { knowledgeBases } = service.context;
    // The job of the service may run at the same time; each skips the rows that the other has locked.
    await eventually(async () => {
      while (await knowledgeBases.sweep(2));
      for (const [table, column] of [
        ['knowledge_documents', 'knowledge_base_id'],
        ['knowledge_bases', 'id'],
      ] as const) {
        const [from, key] = [raw(table), raw(column)];
        expect(await service.sql.$queryRaw`SELECT 1 FROM ${from} WHERE ${key} = ${id}::uuid`).toEqual([]);
      }
    });
  });

  it('removes its id from every assistant, increments their version and publishes the change', async () => {
    const [gone, kept] = [await add(workspace), await add(workspace)];
    const users = await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        service.addAssistant(workspace, { kbStoreIds: i % 2 ? [gone, kept] : [kept, gone], mine: { i } }),
      ),
    );
    const bystander = await service.addAssistant(workspace, { kbStoreIds: [kept] });
    expect((await service.remove(workspace, `${PATH}/${gone}`)).status).toBe(204);
    for (const { id, config } of users) {
      expect((await assistant(id)).config).toEqual({ ...config, kbStoreIds: [kept] });
    }
    expect(await assistant(bystander.id)).toEqual(bystander);
    await eventually(() => {
      const messages = service.bus.received('assistant.updated');
      for (const { id } of users) {
        const versions = messages.filter(({ data }) => data.agent_id === id).map(({ data }) => data.version);
        expect(versions.sort()).toEqual([1, 2]);
      }
    });
  });

  it('affects calls: the snapshot lists existing knowledge bases only, and gets a new version when one is deleted', async () => {
    const [gone, kept] = [await add(workspace), await add(workspace)];
    const { id } = await service.addAssistant(workspace, { kbStoreIds: [gone, kept] });
    const snapshot = async (): Promise<Json> =>
      (await service.callAsService(workspace, 'GET', `/internal/assistants/${id}/snapshot?known_version=1`))
        .body.data;
    expect(await snapshot()).toEqual({ version: 1, snapshot: null });
    await service.remove(workspace, `${PATH}/${gone}`);
    expect(await snapshot()).toMatchObject({ version: 2, snapshot: { config: { kbStoreIds: [kept] } } });
  });

  it('removes an id that can no longer be assigned to an assistant', async () => {
    const id = await add(workspace);
    await service.remove(workspace, `${PATH}/${id}`);
    const answer = await service.post(workspace, '/v1/assistant', {
      agent_name: 'A',
      config: { kbStoreIds: [id] },
    });
    expect(findings(answer)).toEqual(['config.kbStoreIds.0 unknown_id']);
  });

  it('finds the assistants that use it through an index', async () => {
    const plan = await service.sql.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
      return tx.$queryRaw<
        { 'QUERY PLAN': string }[]
      >`EXPLAIN SELECT assistant_id FROM knowledge_links WHERE knowledge_base_id = ${randomUUID()}::uuid`;
    });
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      /knowledge_links_knowledge_base_id_assistant_id_idx/,
    );
  });
});

describe('config.kbStoreIds of a new assistant', () => {
  const create = (kbStoreIds: unknown) =>
    service.post(workspace, '/v1/assistant', { agent_name: 'Ada', config: { kbStoreIds } });

  it('contains knowledge bases of the workspace, each once, in lower case and in order', async () => {
    const [one, two] = [await add(workspace), await add(workspace)];
    const { status, body } = await create([two.toUpperCase(), one, two]);
    expect([status, body.data.config.kbStoreIds]).toEqual([201, [two, one]]);
    expect((await assistant(body.data.id)).config.kbStoreIds).toEqual([two, one]);
  });

  it('refuses a knowledge base of another workspace like an unknown one, and stores nothing', async () => {
    const own = newWorkspace();
    const foreign = await add(newWorkspace());
    const mine = await add(own);
    const answers = await Promise.all(
      [foreign, randomUUID()].map((id) =>
        service.post(own, '/v1/assistant', { agent_name: 'Ada', config: { kbStoreIds: [mine, id] } }),
      ),
    );
    for (const answer of answers) expect(findings(answer)).toEqual(['config.kbStoreIds.1 unknown_id']);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect((await service.post(own, '/v1/assistant/list', {})).body.pagination.total).toBe(0);
  });
});

describe("another workspace's knowledge base", () => {
  it('is NOT_FOUND on every route', async () => {
    const owner = newWorkspace();
    const id = await add(owner);
    const document = await addDocument(owner, id, 'Secret', 'The password is swordfish.');
    const text = { title: 'T', text: 'x' };
    const routes = (base: string, doc: string): [string, string, Json?][] => [
      ['GET', `/${base}`],
      ['DELETE', `/${base}`],
      ['POST', `/${base}/documents`, text],
      ['GET', `/${base}/documents`],
      ['GET', `/${base}/documents/${doc}`],
      ['DELETE', `/${base}/documents/${doc}`],
      ['POST', `/${base}/search`, { query: 'swordfish' }],
    ];
    const unknown = routes(randomUUID(), randomUUID());
    for (const [i, [method, path, body]] of routes(id, document).entries()) {
      const [, nowhere = ''] = unknown[i] ?? [];
      const there = await service.ask(workspace, method, PATH + path, { body });
      const nothing = await service.ask(workspace, method, PATH + nowhere, { body });
      expect([path, there.status, there.body]).toEqual([path, 404, nothing.body]);
    }
    const mine = await add(workspace);
    expect((await service.get(workspace, `${PATH}/${mine}/documents/${document}`)).status).toBe(404);
    expect((await service.remove(workspace, `${PATH}/${mine}/documents/${document}`)).status).toBe(404);
    expect((await service.get(owner, `${PATH}/${id}/documents/${document}`)).status).toBe(200);
    expect((await service.get(owner, PATH)).body.data).toMatchObject([{ id, document_count: 1 }]);
  });
});
