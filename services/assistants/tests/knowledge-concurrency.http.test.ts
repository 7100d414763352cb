import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import {
  type Booted,
  type Harness,
  type HttpAnswer,
  type Json,
  newWorkspace,
  startHarness,
  whenAvailable,
} from './harness.ts';
import { knowledge } from './knowledge.ts';

let service: Harness;
let other: Booted;
let { add, addDocument, search }: ReturnType<typeof knowledge> = {} as never;
const workspace = newWorkspace();
const DOCUMENTS = 12;

beforeAll(async () => {
  service = await startHarness();
  other = await service.boot();
  ({ add, addDocument, search } = knowledge(service));
});
afterAll(() => service.close());

/** Sends every second request to the other process. */
const ask = (i: number, method: string, path: string, body?: Json): Promise<HttpAnswer> =>
  service.ask(workspace, method, `/v1/${path}`, { body, ...(i % 2 ? { at: other } : {}) });
/** Retries while the rows are locked or no connection is free. */
const requestWithRetries = (...request: Parameters<typeof ask>): Promise<HttpAnswer> =>
  whenAvailable(() => ask(...request), [409, 429, 503]);
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const statuses = (answers: HttpAnswer[]): number[] => answers.map(({ status }) => status).sort();
const countOf = async (id: string): Promise<number> =>
  (await service.get(workspace, `/v1/knowledge-base/${id}`)).body.data.document_count;

describe('documents added and deleted concurrently by two processes', () => {
  it('are counted exactly', async () => {
    const id = await add(workspace);
    const old = await Promise.all(
      times(DOCUMENTS, (i) => addDocument(workspace, id, `Old ${i}`, 'A heron.')),
    );
    const answers = await Promise.all([
      ...times(DOCUMENTS, (i) =>
        requestWithRetries(i, 'POST', `knowledge-base/${id}/documents`, {
          title: `New ${i}`,
          text: 'A heron.',
        }),
      ),
      // Sends each request to both processes: one of the two finds it gone.
      ...old.flatMap((document) =>
        times(2, (i) => requestWithRetries(i, 'DELETE', `knowledge-base/${id}/documents/${document}`)),
      ),
    ]);
    expect(statuses(answers)).toEqual([201, 204, 404].flatMap((status) => Array(DOCUMENTS).fill(status)));
    expect(await countOf(id)).toBe(DOCUMENTS);
    expect(await search(workspace, id, 'heron', 20)).toHaveLength(DOCUMENTS);
    expect(
      await service.sql.$queryRaw<
        Json[]
      >`SELECT b.passage_count, count(*)::int AS passages FROM knowledge_bases b
         JOIN knowledge_documents d ON d.knowledge_base_id = b.id JOIN knowledge_passages p ON p.document_id = d.id
         WHERE b.id = ${id}::uuid GROUP BY b.id`,
    ).toEqual([{ passage_count: DOCUMENTS, passages: DOCUMENTS }]);
  });

  it('are refused or deleted when their knowledge base is deleted concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await add(workspace);
      const old = await Promise.all(times(6, (i) => addDocument(workspace, id, `Old ${i}`, 'A heron.')));
      const [deleted, ...others] = await Promise.all([
        requestWithRetries(0, 'DELETE', `knowledge-base/${id}`),
        ...times(12, (i) =>
          requestWithRetries(i, 'POST', `knowledge-base/${id}/documents`, { title: 'New', text: 'A heron.' }),
        ),
        ...old.map((document, i) =>
          requestWithRetries(i, 'DELETE', `knowledge-base/${id}/documents/${document}`),
        ),
        requestWithRetries(1, 'DELETE', `knowledge-base/${id}`),
      ]);
      expect(
        [...new Set(others.map(({ status }) => status))].filter((s) => ![201, 204, 404].includes(s)),
      ).toEqual([]);
      expect([deleted.status, others.at(-1)?.status].sort()).toEqual([204, 404]);
      // Any process may do it; each skips the rows that another has locked.
      await eventually(async () => {
        while (await service.context.knowledgeBases.sweep(100));
        expect(
          await service.sql.$queryRaw<
            Json[]
          >`SELECT 1 FROM knowledge_documents WHERE knowledge_base_id = ${id}::uuid`,
        ).toEqual([]);
      });
    }
  });
});

describe('a knowledge base that is deleted while it is assigned to assistants', () => {
  it('is assigned to none of them in the end, whether created, merged or replaced, in two processes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [gone, kept] = [await add(workspace), await add(workspace)];
      const having = await Promise.all(
        times(6, () => service.addAssistant(workspace, { kbStoreIds: [gone, kept] })),
      );
      const wanting = await Promise.all(times(6, () => service.addAssistant(workspace)));
      const config = { kbStoreIds: [kept, gone] };
      const [deleted, ...answers] = await Promise.all([
        requestWithRetries(round, 'DELETE', `knowledge-base/${gone}`),
        ...having.map(({ id }, i) =>
          requestWithRetries(i, 'PATCH', `assistant/${id}`, { config: { mine: round } }),
        ),
        ...wanting.map(({ id }, i) =>
          whenAvailable(() => ask(i, i % 3 ? 'PATCH' : 'PUT', `assistant/${id}`, { config })),
        ),
        ...times(6, (i) => whenAvailable(() => ask(i, 'POST', 'assistant', { agent_name: 'New', config }))),
      ]);
      expect(deleted.status).toBe(204);
      expect(answers.slice(0, 6).map(({ status }) => status)).toEqual(Array(6).fill(200));
      for (const answer of answers.slice(6)) {
        if (answer.status === 422) expect(answer.body.error.details[0].code).toBe('unknown_id');
        else expect([200, 201, 409]).toContain(answer.status);
      }
      expect(
        await service.sql.$queryRaw<
          Json[]
        >`SELECT id FROM assistants WHERE strpos((config -> 'kbStoreIds')::text, ${gone}) > 0`,
      ).toEqual([]);
      expect(
        await service.sql.$queryRaw<
          Json[]
        >`SELECT 1 FROM knowledge_links WHERE knowledge_base_id = ${gone}::uuid`,
      ).toEqual([]);
      for (const { id } of having) {
        const { body } = await service.get(workspace, `/v1/assistant/${id}`);
        expect([body.data.config.kbStoreIds, body.data.config.mine]).toEqual([[kept], round]);
      }
    }
  });

  it('is CONFLICT, not unknown, while its deletion may still fail', async () => {
    const id = await add(workspace);
    const assistant = await service.addAssistant(workspace);
    const config = { kbStoreIds: [id] };
    const change = () => ask(0, 'PATCH', `assistant/${assistant.id}`, { config });
    const meanwhile = await service.sql.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM knowledge_bases WHERE id = ${id}::uuid FOR UPDATE`;
      return [await change(), await ask(1, 'POST', 'assistant', { agent_name: 'New', config })];
    });
    expect(meanwhile.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([409, 'CONFLICT']),
    );
    expect((await change()).status).toBe(200);
  });

  it('waits for a concurrent deletion that affects the same assistants: both succeed', async () => {
    const [one, two] = [await add(workspace), await add(workspace)];
    const users = await Promise.all(
      times(10, () => service.addAssistant(workspace, { kbStoreIds: [one, two] })),
    );
    const answers = await Promise.all(
      [one, two].map((id, i) => requestWithRetries(i, 'DELETE', `knowledge-base/${id}`)),
    );
    expect(statuses(answers)).toEqual([204, 204]);
    for (const { id } of users) {
      const { body } = await service.get(workspace, `/v1/assistant/${id}`);
      expect(body.data.config.kbStoreIds).toEqual([]);
    }
  });
});

describe('links', () => {
  it('follow kbStoreIds through create, merge, replacement and the deletion of the assistant', async () => {
    const [one, two] = [await add(workspace), await add(workspace)];
    const { id } = await service.addAssistant(workspace, { kbStoreIds: [one] });
    const links = async (): Promise<string[]> => {
      const found = await service.sql.$queryRaw<
        Json[]
      >`SELECT knowledge_base_id AS id FROM knowledge_links WHERE assistant_id = ${id}::uuid`;
      return found.map((row) => row.id).sort();
    };
    expect(await links()).toEqual([one]);
    await ask(0, 'PATCH', `assistant/${id}`, { config: { kbStoreIds: [two, one] } });
    expect(await links()).toEqual([one, two].sort());
    await ask(0, 'PUT', `assistant/${id}`, { config: { kbStoreIds: [two] } });
    expect(await links()).toEqual([two]);
    await ask(0, 'DELETE', `assistant/${id}`);
    expect(await links()).toEqual([]);
  });
});

describe('all of these', () => {
  it('cause no deadlock', async () => {
    // Postgres publishes a session's counters no later than its end.
    const [row] = await service.sql.$transaction(async (tx) => {
      const pids = await tx.$queryRaw<{ pid: number }[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
      await tx.$queryRaw`
        SELECT pg_terminate_backend(pid, 30000) FROM unnest(${pids.map(({ pid }) => pid)}::int[]) pid`;
      return tx.$queryRaw<{ deadlocks: number }[]>`
        SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
    });
    expect(row).toEqual({ deadlocks: 0 });
  });
});
