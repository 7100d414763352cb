import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, kitDatabase, type SqlClient, sqlClient, type TestDatabase } from '@parley/testkit';
import request from 'supertest';
import { AppError } from '../src/errors/index.ts';
import { type App, mount } from '../src/http/index.ts';
import { createIdempotencyStore, type IdempotencyStore, respondOnce } from '../src/idempotency/index.ts';
import { createLogger } from '../src/log/index.ts';
import { createClock } from '../src/time/index.ts';
import { as, bootApp, createThingOnce, ID, uploadThings, WORKSPACE } from './http-harness.ts';

let database: TestDatabase;
let sql: SqlClient;
let store: IdempotencyStore;
let app: App;
let created = 0;
let release = (): void => {};
let stackMs = 0;

beforeAll(async () => {
  database = await kitDatabase('idempotency');
  sql = sqlClient(database.url);
  await sql.$executeRaw`CREATE TABLE things (name text NOT NULL)`;
  const real = createClock({ rate: 1, originMs: 0 });
  const clock = { ...real, now: () => new Date(Date.now() + stackMs) };
  store = createIdempotencyStore({ sql, clock, secrets: ['one'.repeat(20)] });
  ({ app } = bootApp({ idempotencyStore: store }));
  mount(app, createThingOnce, async ({ body: { name }, idempotency }) => {
    if (name === 'slow') {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    return sql.$transaction(async (tx) => {
      created += 1;
      await tx.$executeRaw`INSERT INTO things VALUES (${name})`;
      if (name === 'fails') throw new AppError('CONFLICT', 'Taken');
      return idempotency.answer(tx, { id: ID, name: `${name} ${created}` });
    });
  });
  mount(app, uploadThings, async ({ body, idempotency }) => {
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    created += 1;
    return sql.$transaction((tx) => idempotency.answer(tx, { bytes }));
  });
});

afterAll(async () => {
  await sql.close();
  await database.drop();
});

const post = (key: string, body: object | string, path = '/v1/thing', workspace = WORKSPACE) =>
  request(app.express)
    .post(path)
    .set(as('key', workspace))
    .set('content-type', 'application/json')
    .set('idempotency-key', key)
    .send(body);
const countOf = async (name: string) =>
  (await sql.$queryRaw<unknown[]>`SELECT 1 FROM things WHERE name = ${name}`).length;
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];

describe('a repeated key', () => {
  it('replays the stored bytes', async () => {
    const first = await post('replay', { name: 'é' });
    const again = await post('replay', { name: 'é' });
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.text).toBe(first.text);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(await countOf('é')).toBe(1);
  });

  it('refuses another body, even an invalid one [general.21]', async () => {
    await post('reused', { name: 'a' });
    expect(codeOf(await post('reused', { name: 'b' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(codeOf(await post('reused', {}))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('is a different key in another workspace', async () => {
    const first = await post('scoped', { name: 'scoped' });
    const other = await post(
      'scoped',
      { name: 'scoped' },
      '/v1/thing',
      '0190b1b0-0000-7000-8000-0000000000bb',
    );
    expect([other.status, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(other.text).not.toBe(first.text);
  });

  it('is released after a failure', async () => {
    expect((await post('failed', { name: 'fails' })).status).toBe(409);
    expect((await post('failed', { name: 7 })).status).toBe(422);
    expect((await post('failed', { name: 'works' })).status).toBe(201);
    expect(await countOf('fails')).toBe(0);
  });

  it('expires after 24 hours of stack time', async () => {
    const first = await post('old', { name: 'old' });
    stackMs = 24 * 3_600_000 - 5_000;
    expect((await post('old', { name: 'old' })).text).toBe(first.text);
    stackMs += 10_000;
    expect((await post('old', { name: 'other' })).status).toBe(201);
    stackMs = 0;
  });

  it('is optional, and refused if malformed', async () => {
    const answer = await request(app.express).post('/v1/thing').set(as('key')).send({ name: 'none' });
    expect(answer.status).toBe(201);
    const bad = await post('a b', { name: 'bad' });
    expect(codeOf(bad)).toEqual([422, 'VALIDATION_FAILED']);
    expect(bad.body.error.message).toMatch(/^Idempotency-Key must be /);
    expect((await post('k'.repeat(256), { name: 'bad' })).status).toBe(422);
    expect((await post('k'.repeat(255), { name: 'long' })).status).toBe(201);
  });
});

describe('two concurrent requests', () => {
  it('run once: the other learns that it is running, and then gets the stored response [general.21]', async () => {
    const first = post('twice', { name: 'slow' }).then((answer) => answer);
    await eventually(async () => expect(await stateOf('twice')).toBe('running'));
    const second = await post('twice', { name: 'slow' });
    expect(codeOf(second)).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    expect(codeOf(await post('twice', { name: 'other' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    release();
    const answer = await first;
    expect(answer.status).toBe(201);
    expect((await post('twice', { name: 'slow' })).text).toBe(answer.text);
    expect(await countOf('slow')).toBe(1);
  });

  it('create once, however many there are', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('many', { name: 'many' })));
    const bodies = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(bodies.size).toBe(1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(await countOf('many')).toBe(1);
  });
});

describe('a process that died', () => {
  const scope = { workspaceId: WORKSPACE, method: 'POST', path: '/v1/thing', key: 'crashed' };
  const hash = createHash('sha256').update('{"name":"crashed"}').digest('hex');

  it('leaves a key that is released when its lease expires, and can no longer complete it', async () => {
    const begun = await store.begin(scope, hash);
    expect(codeOf(await post('crashed', { name: 'crashed' }))).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    await sql.$executeRaw`UPDATE idempotency_keys SET lease_until = clock_timestamp() WHERE key = 'crashed'`;
    const answer = await post('crashed', { name: 'crashed' });
    expect(answer.status).toBe(201);
    if (begun.state !== 'started') throw new Error('the key was not free');
    const late = { status: 201, body: '{}', digest: hash };
    await expect(store.answer(sql, begun.claim, late)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_IN_PROGRESS',
    });
    await store.release(begun.claim);
    expect((await post('crashed', { name: 'crashed' })).text).toBe(answer.text);
  });

  it('holds its key for at most ten more seconds', async () => {
    await store.begin({ ...scope, key: 'short' }, hash);
    const [row] = await sql.$queryRaw<
      { left: number }[]
    >`SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 AS left
       FROM idempotency_keys WHERE key = 'short'`;
    expect(row?.left).toBeLessThanOrEqual(10);
  });

  it('keeps the key while it lives', async () => {
    const begun = await store.begin({ ...scope, key: 'renewed' }, hash);
    if (begun.state !== 'started') throw new Error('the key was not free');
    await sql.$executeRaw`UPDATE idempotency_keys SET lease_until = clock_timestamp() WHERE key = 'renewed'`;
    await store.renew(begun.claim);
    expect(await store.begin({ ...scope, key: 'renewed' }, hash)).toMatchObject({ state: 'running' });
  });
});

describe('the stored hash of a body', () => {
  const markOf = async (key: string) =>
    (
      await sql.$queryRaw<{ body_hash: string }[]>`SELECT body_hash FROM idempotency_keys WHERE key = ${key}`
    )[0]?.body_hash;
  const plain = createHash('sha256').update('{"name":"secret"}').digest('hex');

  it('cannot be guessed from a body, nor compared with another row', async () => {
    await post('mark-1', { name: 'secret' });
    await post('mark-2', { name: 'secret' });
    const [first, second] = [await markOf('mark-1'), await markOf('mark-2')];
    expect(first).toMatch(/^hmac:[0-9a-f]{64}$/);
    expect(first).not.toContain(plain);
    expect(first).not.toBe(second);
  });
});

describe('streamed bodies', () => {
  it('renew the lease for as long as they take', async () => {
    const renewed: number[] = [];
    const counting: IdempotencyStore = {
      ...store,
      renew: async (claim) => {
        await store.renew(claim);
        renewed.push(1);
      },
    };
    let end = (): void => {};
    const bytes = new Promise<void>((resolve) => {
      end = resolve;
    });
    const upload = respondOnce(
      {
        store: counting,
        log: createLogger({ service: 'test', level: 'silent' }),
        scope: { workspaceId: WORKSPACE, method: 'POST', path: '/v1/thing/upload', key: 'long' },
        body: { known: () => 'digest', whole: async () => 'digest' },
        status: 201,
        render: JSON.stringify,
      },
      async (idempotency) => {
        await bytes;
        return sql.$transaction((tx) => idempotency.answer(tx, 'done'));
      },
    );
    // As if it had begun long ago.
    await eventually(async () => expect(await stateOf('long')).toBe('running'));
    await sql.$executeRaw`UPDATE idempotency_keys SET lease_until = clock_timestamp() WHERE key = 'long'`;
    await eventually(() => expect(renewed.length).toBeGreaterThan(0), { timeoutMs: 15_000 });
    await eventually(async () => {
      const scope = { workspaceId: WORKSPACE, method: 'POST', path: '/v1/thing/upload', key: 'long' };
      expect(await store.begin(scope, 'digest')).toMatchObject({ state: 'running' });
    });
    end();
    expect(await upload).toEqual({ status: 201, body: '"done"', replayed: false });
  });

  const body = (size: number) => JSON.stringify({ padding: 'x'.repeat(size) });

  it('are hashed while they are read, and replayed after reading them again', async () => {
    const before = created;
    const first = await post('stream', body(300_000), '/v1/thing/upload');
    expect(first.body.data).toEqual({ bytes: body(300_000).length });
    const again = await post('stream', body(300_000), '/v1/thing/upload');
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const other = await post('stream', body(300_001), '/v1/thing/upload');
    expect(codeOf(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(created).toBe(before + 1);
  });
});

it('removes expired keys', async () => {
  await post('swept', { name: 'swept' });
  expect(await stateOf('swept')).toBe('answered');
  stackMs = 25 * 3_600_000;
  expect(await store.sweep()).toBeGreaterThan(0);
  expect(await stateOf('swept')).toBeUndefined();
  stackMs = 0;
});

it('refuses to mount an endpoint whose response it could not store', () => {
  expect(() => mount(bootApp().app, createThingOnce, () => ({ id: '', name: '' }))).toThrow(
    /idempotencyStore/,
  );
});

async function stateOf(key: string): Promise<string | undefined> {
  const rows = await sql.$queryRaw<
    { state: string }[]
  >`SELECT state FROM idempotency_keys WHERE key = ${key}`;
  return rows[0]?.state;
}
