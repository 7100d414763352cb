import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createClient } from './index.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const error = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { success: false, error: { code, message: `It is ${code}` } }, headers);
const done = json(200, { success: true, data: { id: 'a' } });
const lost: Answer = (req) => req.socket.destroy();
const silent: Answer = () => {};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A platform that answers as it is told, the last answer over and over, and what it was asked. */
async function platform(...answers: Answer[]) {
  const asked: { line: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((req, res) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ line: `${req.method} ${req.url}`, headers: req.headers });
    req.resume().once('end', () => answer?.(req, res));
    // What is lost is lost at once.
    if (answer === lost) lost(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close().closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, parley: createClient({ baseUrl, apiKey: 'svc_k' }) };
}

describe('retries', () => {
  it('a creation without a response is sent again with the same Idempotency-Key and request id', async () => {
    const { asked, parley } = await platform(lost, error(502, 'CARRIER_ERROR'), done);
    await parley.knowledgeBases.create({ name: 'Rules' });
    expect(asked).toHaveLength(3);
    for (const name of ['idempotency-key', 'x-request-id'])
      expect(new Set(asked.map(({ headers }) => headers[name])).size).toBe(1);
    expect(asked[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    await parley.knowledgeBases.create({ name: 'Rules' });
    expect(asked[3]?.headers['idempotency-key']).not.toBe(asked[0]?.headers['idempotency-key']);
  });

  it('a response of an earlier creation with the same key is reported as such', async () => {
    const replayed = json(201, { success: true, data: { id: 'a' } }, { 'idempotent-replayed': 'true' });
    const { parley } = await platform(done, replayed);
    const reported: string[] = [];
    for (const name of ['first', 'again'])
      await parley.knowledgeBases.create(
        { name: 'Rules' },
        { idempotencyKey: 'one', onReplayed: () => reported.push(name) },
      );
    expect(reported).toEqual(['again']);
  });

  it('waits as long as Retry-After says', async () => {
    const { asked, parley } = await platform(error(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '1' }), done);
    const startedAt = performance.now();
    await parley.assistants.get('a');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(asked).toHaveLength(2);
  });

  it('unsafe requests are sent once, except when they were refused before taking effect', async () => {
    const away = await platform(error(503, 'SERVICE_UNAVAILABLE'));
    await expect(away.parley.calls.stop('a')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
    });
    const cut = await platform(lost);
    await expect(cut.parley.calls.fixTranscript('a')).rejects.toMatchObject({
      code: 'NO_CONNECTION',
      status: 0,
    });
    expect([away.asked.length, cut.asked.length]).toEqual([1, 1]);
    const busy = await platform(error(429, 'RATE_LIMITED', { 'retry-after': '0' }), done);
    await busy.parley.calls.stop('a');
    expect(busy.asked).toHaveLength(2);
  });

  it.each([
    [500, 'INTERNAL_ERROR'],
    [429, 'CONCURRENCY_LIMIT'],
    [409, 'CONFLICT'],
  ])('%d %s is not retried', async (status, code) => {
    const { asked, parley } = await platform(error(status, code));
    await expect(parley.assistants.get('a')).rejects.toMatchObject({ status, code });
    expect(asked).toHaveLength(1);
  });

  it('a repeated deletion that finds nothing is no error', async () => {
    const { parley } = await platform(lost, error(404, 'NOT_FOUND'));
    await expect(parley.assistants.delete('a')).resolves.toBeUndefined();
    const { parley: other } = await platform(error(404, 'NOT_FOUND'));
    await expect(other.assistants.delete('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an interrupted response is requested again', async () => {
    const brokenOff: Answer = (req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"success":', () => req.socket.destroy());
    };
    const { asked, parley } = await platform(brokenOff, done);
    await expect(parley.assistants.get('a')).resolves.toEqual({ id: 'a' });
    expect(asked).toHaveLength(2);
    const once = await platform(brokenOff);
    await expect(once.parley.calls.stop('a')).rejects.toMatchObject({ code: 'NO_CONNECTION', status: 0 });
    expect(once.asked).toHaveLength(1);
  });

  it('stops when the retries are used up, and before a delay beyond the deadline', async () => {
    const away = error(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' });
    const some = await platform(away);
    await expect(some.parley.assistants.get('a', { retries: 2 })).rejects.toMatchObject({ status: 503 });
    expect(some.asked).toHaveLength(3);
    const long = await platform(error(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '30' }));
    const startedAt = performance.now();
    const given = long.parley.assistants.get('a', { deadlineMs: 5_000 });
    await expect(given).rejects.toMatchObject({ status: 503, retryAfterMs: 30_000 });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

describe('deadlines', () => {
  it('a platform that does not respond is TIMEOUT', async () => {
    const { parley } = await platform(silent);
    const hanging = parley.assistants.get('a', { deadlineMs: 200 });
    await expect(hanging).rejects.toMatchObject({ code: 'TIMEOUT', status: 0 });
  });

  it('data count to their last byte, a file until its first', async () => {
    const slowly: Answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"success":true,');
      setTimeout(() => res.end('"data":{}}'), 400);
    };
    const { parley } = await platform(slowly);
    const slow = parley.assistants.get('a', { deadlineMs: 200 });
    await expect(slow).rejects.toMatchObject({ code: 'TIMEOUT', status: 0 });
    const file = await parley.campaigns.downloadContacts('a', { deadlineMs: 200 });
    expect(await file.text()).toBe('{"success":true,"data":{}}');
  });

  it('a signal aborts with its own reason, also between two attempts', async () => {
    const reason = new Error('enough');
    for (const answer of [silent, error(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '20' })]) {
      const { parley } = await platform(answer);
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      await expect(parley.assistants.get('a', { signal: controller.signal })).rejects.toBe(reason);
    }
  });
});

describe('errors', () => {
  it('have code, status, details and the request id', async () => {
    const details = [{ path: 'name', code: 'required', message: 'name is required' }];
    const body = {
      success: false,
      error: { code: 'VALIDATION_FAILED', message: 'name is required', details },
    };
    const { parley } = await platform(json(422, body, { 'x-request-id': 'r-1' }));
    await expect(parley.knowledgeBases.create({ name: '' })).rejects.toMatchObject({
      name: 'ParleyError',
      code: 'VALIDATION_FAILED',
      status: 422,
      message: 'name is required',
      details,
      requestId: 'r-1',
    });
  });

  it('include a 401 with errorMessage, and the response of a proxy', async () => {
    const { parley } = await platform(json(401, { success: false, errorMessage: 'Send your key' }));
    await expect(parley.assistants.get('a')).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'Send your key',
    });
    const { parley: behindProxy } = await platform((_req, res) => res.writeHead(413).end('<html>'));
    await expect(behindProxy.assistants.get('a')).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      status: 413,
    });
    const { parley: behindPage } = await platform((_req, res) => res.writeHead(200).end('<html>'));
    const expected = { code: 'UNEXPECTED_RESPONSE', status: 200 };
    await expect(behindPage.assistants.get('a')).rejects.toMatchObject(expected);
    await expect(behindPage.assistants.list()).rejects.toMatchObject(expected);
  });
});

describe('requests', () => {
  it('may use another fetch, and return its responses', async () => {
    const body = Buffer.from('{"success":true,"data":{"id":"a"}}');
    const own = { ok: true, status: 200, headers: new Headers(), arrayBuffer: async () => body };
    const sender = (async () => own) as unknown as typeof fetch;
    const parley = createClient({ baseUrl: 'http://elsewhere', apiKey: 'svc_k', fetch: sender });
    await expect(parley.assistants.get('a')).resolves.toEqual({ id: 'a' });
  });

  it('escape ids and write numbers of a query in full', async () => {
    const page = json(200, {
      success: true,
      data: [],
      pagination: { total: 0, count: 0, next_cursor: null },
    });
    const { asked, parley } = await platform(page);
    await parley.knowledgeBases.listDocuments('a/../b', { limit: 5 });
    expect(asked[0]?.line).toBe('GET /v1/knowledge-base/a%2F..%2Fb/documents?limit=5');
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer svc_k' });
  });

  it.each(['', '.', '..'])('refuse the id %j, which would change the path', async (id) => {
    const { asked, parley } = await platform(done);
    const refused = [
      parley.assistants.get(id),
      parley.assistants.delete(id),
      parley.knowledgeBases.deleteDocument('a', id),
      parley.knowledgeBases.listDocuments(id),
    ];
    for (const asking of refused) await expect(asking).rejects.toThrow(TypeError);
    expect(asked).toEqual([]);
    await parley.assistants.get('...');
    expect(asked[0]?.line).toBe('GET /v1/assistant/...');
  });

  it('walk numbered pages and offsets', async () => {
    const pageOf = (item: string, next: string | null) =>
      json(200, { success: true, data: [item], pagination: { total: 2, count: 1, next_cursor: next } });
    const bodies = await platform(pageOf('a', '2'), pageOf('b', null));
    const items: unknown[] = [];
    for await (const item of bodies.parley.assistants.list({ size: 1 })) items.push(item);
    expect(items).toEqual(['a', 'b']);
    const queries = await platform(pageOf('a', '1'), pageOf('b', null));
    for await (const item of queries.parley.campaigns.list({ limit: 1 })) items.push(item);
    expect(queries.asked.map(({ line }) => line)).toEqual([
      'GET /v1/campaigns?limit=1',
      'GET /v1/campaigns?limit=1&offset=1',
    ]);
  });
});
