import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { answerOf, brief, clientOf, type RawServer, rawServer, requestOf } from './harness.ts';

let answers: Record<string, string> = {};
let receiver: RawServer;
let other: RawServer;
let canary: RawServer;
beforeAll(async () => {
  const serve = (host: string) =>
    rawServer(
      (socket, request) => socket.end(answers[request.split(' ')[1] ?? ''] ?? answerOf(200, {}, 'done')),
      { host },
    );
  [receiver, other, canary] = await Promise.all([serve('127.0.0.1'), serve('127.0.0.2'), serve('127.0.0.9')]);
});
afterAll(() => Promise.all([receiver, other, canary].map((server) => server.close())));
beforeEach(() => {
  answers = {};
  for (const server of [receiver, other, canary]) server.requests.length = 0;
});

const client = clientOf({ allowCidrs: ['127.0.0.1/32', '127.0.0.2/32'] });
const here = (path = '/'): string => `http://127.0.0.1:${receiver.port}${path}`;
const redirect = (status: number, location?: string): string =>
  answerOf(status, location === undefined ? {} : { location }, 'gone elsewhere');
const send = (change = {}) => client.send(requestOf(here('/hook'), change));

describe('307 and 308', () => {
  it.each([307, 308])('%i: the same request is sent to the Location', async (status) => {
    answers['/hook'] = redirect(status, `http://127.0.0.2:${other.port}/there?x=1`);
    const result = await send();
    expect(result).toMatchObject({
      outcome: 'response',
      status: 200,
      body: 'done',
      finalUrl: `http://127.0.0.2:${other.port}/there?x=1`,
      remoteAddress: '127.0.0.2',
    });
    const [head = '', body] = (other.requests[0] ?? '').split('\r\n\r\n');
    expect(head).toMatch(/^POST \/there\?x=1 HTTP\/1\.1\r\nhost: 127\.0\.0\.2:\d+\r\n/);
    expect(head).toContain('webhook-signature: v1,sig');
    expect(body).toBe('{"a":"ü"}');
  });

  it('a relative Location has the same origin, and gets all headers', async () => {
    answers['/hook'] = redirect(307, 'next');
    const originHeaders = { 'x-api-key': 'secret' };
    const result = await send({ originHeaders });
    expect(result.finalUrl).toBe(here('/next'));
    expect(receiver.requests).toHaveLength(2);
    for (const request of receiver.requests) expect(request).toContain('x-api-key: secret');
  });

  it("another origin gets neither the tool's headers nor credentials", async () => {
    answers['/hook'] = redirect(307, `http://127.0.0.2:${other.port}/`);
    const headers = { authorization: 'Bearer a', cookie: 'c=d', 'webhook-id': 'evt_1' };
    const result = await send({ headers, originHeaders: { 'x-api-key': 'secret' } });
    expect(receiver.requests[0]).toMatch(
      /authorization: Bearer a[\s\S]*x-api-key: secret|x-api-key: secret[\s\S]*authorization: Bearer a/,
    );
    expect(other.requests[0]).toContain('webhook-id: evt_1');
    for (const gone of ['authorization', 'cookie', 'x-api-key']) {
      expect(other.requests[0]).not.toContain(gone);
      expect(result.requestHeaders).not.toHaveProperty(gone);
    }
  });

  it('a GET remains a GET', async () => {
    answers['/hook'] = redirect(308, '/next');
    await client.send({ ...requestOf(here('/hook')), method: 'GET', body: '' });
    expect(receiver.requests.map((request) => request.split('\r\n')[0])).toEqual([
      'GET /hook HTTP/1.1',
      'GET /next HTTP/1.1',
    ]);
  });
});

describe('a redirect that is not followed keeps its status', () => {
  it.each([301, 302, 303])('%i', async (status) => {
    answers['/hook'] = redirect(status, here('/next'));
    const result = await send();
    expect(result).toMatchObject({
      outcome: 'redirect_refused',
      status,
      body: 'gone elsewhere',
      requestSent: true,
    });
    expect(result.headers).toMatchObject({ location: here('/next') });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each([undefined, '', 'ftp://127.0.0.1/', 'http://', 'http://user:pw@127.0.0.1/', 'http://[::1'])(
    '307 to %p',
    async (location) => {
      answers['/hook'] = redirect(307, location);
      expect(brief(await send())).toEqual({ outcome: 'redirect_refused', status: 307, sent: true });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  it.each([301, 302, 303, 307, 308])('a second one, %i', async (status) => {
    answers['/hook'] = redirect(307, '/next');
    answers['/next'] = redirect(status, '/last');
    const result = await send();
    expect(result).toMatchObject({ outcome: 'redirect_refused', status, finalUrl: here('/next') });
    expect(receiver.requests).toHaveLength(2);
  });

  it('a loop ends after the first redirect', async () => {
    answers['/hook'] = redirect(308, '/hook');
    expect(brief(await send())).toEqual({ outcome: 'redirect_refused', status: 308, sent: true });
    expect(receiver.requests).toHaveLength(2);
  });

  it('any, if redirects are not allowed', async () => {
    answers['/hook'] = redirect(307, '/next');
    expect(brief(await send({ followRedirects: false }))).toEqual({
      outcome: 'redirect_refused',
      status: 307,
      sent: true,
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it('one to plain http at a public address', async () => {
    answers['/hook'] = redirect(307, 'http://8.8.8.8/');
    const result = await send();
    expect(result).toMatchObject({ outcome: 'redirect_refused', status: 307, finalUrl: 'http://8.8.8.8/' });
    expect(result.headers).toMatchObject({ location: 'http://8.8.8.8/' });
  });
});

describe('every other status is a final response', () => {
  it.each([300, 304, 305, 306, 404, 429, 503])('%i', async (status) => {
    answers['/hook'] =
      status === 304 ? 'HTTP/1.1 304 X\r\nlocation: /next\r\n\r\n' : redirect(status, '/next');
    expect(brief(await send())).toEqual({ outcome: 'response', status, sent: true });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('a redirect to a refused address', () => {
  const spellings = [
    '127.0.0.9',
    '127.9',
    '0x7f000009',
    '2130706441',
    '[::ffff:127.0.0.9]',
    '[::127.0.0.9]',
    '0177.0.0.9',
    '127。0。0。9',
  ];
  it.each(spellings.flatMap((host) => [307, 308].map((status) => ({ host, status }))))(
    '$status to $host never reaches it',
    async ({ host, status }) => {
      for (const scheme of ['http:', 'https:', '']) {
        answers['/hook'] = redirect(status, `${scheme}//${host}:${canary.port}/`);
        const result = await send();
        expect(brief(result)).toEqual({ outcome: 'address_refused', status: 0, sent: true });
        expect([result.headers, result.body]).toEqual([{}, '']);
      }
      expect(canary.sockets).toHaveLength(0);
    },
  );

  it('by name is resolved and checked again', async () => {
    answers['/hook'] = redirect(307, `http://inner.test:${canary.port}/`);
    const named = clientOf({ allowCidrs: ['127.0.0.1/32'], resolver: async () => ['127.0.0.9'] });
    expect(brief(await named.send(requestOf(here('/hook'))))).toEqual({
      outcome: 'address_refused',
      status: 0,
      sent: true,
    });
    expect(canary.sockets).toHaveLength(0);
  });

  it('is refused to a tool as well, which may use plain http', async () => {
    answers['/hook'] = redirect(307, 'http://169.254.169.254/latest/meta-data/');
    expect((await send({ allowHttp: true })).outcome).toBe('address_refused');
  });
});

it('the body of a followed redirect is not awaited', async () => {
  answers['/hook'] = `HTTP/1.1 307 X\r\nlocation: /next\r\ncontent-length: 1000000\r\n\r\n`;
  const result = await send({ deadlineMs: 2000 });
  expect(result).toMatchObject({ outcome: 'response', status: 200 });
  expect(result.durationMs).toBeLessThan(1000);
});
