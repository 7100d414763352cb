import { afterEach, describe, expect, it } from '@jest/globals';
import { answerOf, brief, clientOf, type RawServer, rawServer, requestOf } from './harness.ts';
import { certificate } from './tls-fixture.ts';

const servers: RawServer[] = [];
const start = async (...args: Parameters<typeof rawServer>): Promise<RawServer> => {
  const server = await rawServer(...args);
  servers.push(server);
  return server;
};
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

describe('the request', () => {
  it('has the exact body, with its length in bytes and our headers', async () => {
    const server = await start((socket) => socket.end(answerOf(200)));
    const headers = {
      'Content-Type': 'application/json',
      'X-Webhook-Attempt': '1',
      Host: 'inner',
      'Transfer-Encoding': 'chunked',
    };
    const result = await clientOf().send(
      requestOf(`http://127.0.0.1:${server.port}/a%20b?c=%C3%BC`, { headers }),
    );
    expect(server.requests[0]).toBe(
      `POST /a%20b?c=%C3%BC HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: close\r\n` +
        'user-agent: Parley-Webhooks/1\r\ncontent-type: application/json\r\nx-webhook-attempt: 1\r\n' +
        'accept-encoding: identity\r\ncontent-length: 10\r\n\r\n{"a":"ü"}',
    );
    expect(result.requestHeaders).toEqual({
      'user-agent': 'Parley-Webhooks/1',
      'content-type': 'application/json',
      'x-webhook-attempt': '1',
      'accept-encoding': 'identity',
    });
  });

  it('has no body for GET', async () => {
    const server = await start((socket) => socket.end(answerOf(200)));
    const { body: _body, ...request } = requestOf(`http://127.0.0.1:${server.port}/x`, {
      method: 'GET',
      headers: {},
    });
    await clientOf({ userAgent: 'Other/2' }).send(request);
    expect(server.requests[0]).toMatch(
      /^GET \/x HTTP\/1\.1\r\n[\s\S]*user-agent: Other\/2\r\n[\s\S]*\r\n\r\n$/,
    );
    expect(server.requests[0]).not.toMatch(/content-length|transfer-encoding/);
  });

  it.each([{ 'x-bad': 'a\r\nx-injected: b' }, { 'bad name': 'x' }, { 'x-emoji': '🎧' }])(
    'is not sent when a header is invalid: %p',
    async (originHeaders) => {
      const server = await start((socket) => socket.end(answerOf(200)));
      const result = await clientOf().send(requestOf(`http://127.0.0.1:${server.port}/`, { originHeaders }));
      expect(result).toMatchObject({
        outcome: 'connection_error',
        error: 'A request header is not valid',
        requestSent: false,
      });
      expect(server.requests).toHaveLength(0);
    },
  );
});

describe('the response', () => {
  it('has lower-case names, joined repetitions, and text that a database accepts', async () => {
    const server = await start((socket) =>
      socket.end(
        'HTTP/1.1 202 X\r\nX-One: ü\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\ncontent-length: 4\r\n\r\na\u0000ü',
      ),
    );
    const result = await clientOf().send(requestOf(`http://127.0.0.1:${server.port}/`));
    expect(result).toMatchObject({
      outcome: 'response',
      status: 202,
      body: 'a\uFFFDü',
      bodyComplete: true,
      bodyTruncated: false,
    });
    expect(result.headers).toEqual({ 'x-one': 'ü', 'set-cookie': 'a=1, b=2', 'content-length': '4' });
  });

  it.each([
    [
      'in chunks',
      'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
      'abc',
    ],
    ['up to the end of the connection', 'HTTP/1.0 200 X\r\n\r\nabc', 'abc'],
    ['after an announcement', `HTTP/1.1 103 X\r\nlink: x\r\n\r\n${answerOf(200, {}, 'abc')}`, 'abc'],
    ['with nothing', 'HTTP/1.1 204 X\r\n\r\n', ''],
  ])('arrives %s', async (_name, answer, body) => {
    const server = await start((socket) => socket.end(answer));
    const result = await clientOf().send(requestOf(`http://127.0.0.1:${server.port}/`, { readBody: 'full' }));
    expect(result).toMatchObject({ outcome: 'response', body, bodyComplete: true });
  });

  it('ends after eight informational responses', async () => {
    const informational = 'HTTP/1.1 103 X\r\nlink: x\r\n\r\n';
    let count = 8;
    const server = await start((socket) =>
      socket.write(informational.repeat(count) + answerOf(200, {}, 'abc')),
    );
    const url = `http://127.0.0.1:${server.port}/`;
    expect(await clientOf().send(requestOf(url))).toMatchObject({ outcome: 'response', body: 'abc' });
    count = 9;
    const result = await clientOf().send(requestOf(url));
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The receiver sent too many informational responses',
    });
  });

  it.each([
    ['extensions of a chunk', 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'.repeat(16_384)],
    [
      'extensions of many chunks',
      'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n',
      `1;${'x'.repeat(16_000)}\r\na\r\n`,
    ],
  ])('ends when endless %s arrive', async (_name, head, more) => {
    let sent = 0;
    const server = await start((socket) => {
      socket.on('error', () => {});
      socket.write(head);
      const write = (): void => {
        while (!socket.destroyed && socket.write(more)) sent += more.length;
        sent += more.length;
      };
      socket.on('drain', write);
      write();
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const result = await clientOf().send(
      requestOf(url, { readBody: 'full', maxResponseBytes: 1_024, deadlineMs: 3_000 }),
    );
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The response has too many bytes besides its body',
    });
    expect(result.durationMs).toBeLessThan(2_000);
    // What the buffers of the sockets hold comes on top.
    expect(sent).toBeLessThan(16 * 1024 ** 2);
  });

  it('may consist of chunks of one byte', async () => {
    const body = 'a'.repeat(65_536);
    const head = 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n';
    const server = await start((socket) => socket.end(`${head}${'1\r\na\r\n'.repeat(65_536)}0\r\n\r\n`));
    const request = requestOf(`http://127.0.0.1:${server.port}/`, {
      readBody: 'full',
      maxResponseBytes: 65_536,
    });
    expect(await clientOf().send(request)).toMatchObject({ outcome: 'response', body, bodyComplete: true });
  });

  it('stays compressed', async () => {
    const server = await start((socket) =>
      socket.end(answerOf(200, { 'content-encoding': 'gzip' }, 'not gzip')),
    );
    expect((await clientOf().send(requestOf(`http://127.0.0.1:${server.port}/`))).body).toBe('not gzip');
  });
});

describe('kept-alive connections', () => {
  const keepAlive = (socket: { write(text: string): unknown }): void =>
    void socket.write(answerOf(200, {}, 'ok'));
  const times = async (count: number, work: () => Promise<unknown>): Promise<void> => {
    for (let index = 0; index < count; index += 1) await work();
  };

  it('carry retryable requests, one at a time', async () => {
    const server = await start(keepAlive);
    const client = clientOf();
    const send = () => client.send(requestOf(`http://127.0.0.1:${server.port}/`, { replayable: true }));
    await times(5, send);
    expect([server.requests.length, server.sockets.length]).toEqual([5, 1]);
    await Promise.all([send(), send(), send()]);
    expect([server.requests.length, server.sockets.length]).toEqual([8, 3]);
    await client.close();
  });

  it('carry nothing else', async () => {
    const server = await start(keepAlive);
    const client = clientOf();
    await client.send(requestOf(`http://127.0.0.1:${server.port}/`, { replayable: true }));
    await times(3, () => client.send(requestOf(`http://127.0.0.1:${server.port}/`)));
    expect(server.sockets).toHaveLength(4);
    await client.close();
  });

  it('are closed when the response was not read to its end, or requests it', async () => {
    const client = clientOf();
    const closing = await start((socket) => socket.write(answerOf(200, { connection: 'close' }, 'ok')));
    await times(2, () => client.send(requestOf(`http://127.0.0.1:${closing.port}/`, { replayable: true })));
    expect(closing.sockets).toHaveLength(2);
    const long = await start(keepAlive);
    await times(2, () =>
      client.send(requestOf(`http://127.0.0.1:${long.port}/`, { replayable: true, maxResponseBytes: 1 })),
    );
    expect(long.sockets).toHaveLength(2);
    await client.close();
  });

  it('that were closed meanwhile are replaced', async () => {
    const server = await start(keepAlive);
    const client = clientOf();
    const send = () => client.send(requestOf(`http://127.0.0.1:${server.port}/`, { replayable: true }));
    await send();
    server.sockets[0]?.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(brief(await send())).toEqual({ outcome: 'response', status: 200, sent: true });
    expect([server.requests.length, server.sockets.length]).toEqual([2, 2]);
    await client.close();
  });

  it('that close after receiving a request are not replaced: it is never sent twice', async () => {
    let swallow = false;
    const server = await start((socket) => {
      if (swallow) socket.destroy();
      else keepAlive(socket);
      swallow = true;
    });
    const client = clientOf();
    const send = () => client.send(requestOf(`http://127.0.0.1:${server.port}/`, { replayable: true }));
    await send();
    expect(brief(await send())).toEqual({ outcome: 'connection_error', status: 0, sent: true });
    expect([server.requests.length, server.sockets.length]).toEqual([2, 1]);
    await client.close();
  });

  it('never pass unsolicited data on to the next request', async () => {
    const server = await start((socket) =>
      socket.write(answerOf(200, {}, 'mine') + answerOf(200, {}, 'smuggled')),
    );
    const client = clientOf();
    await times(3, async () => {
      const result = await client.send(requestOf(`http://127.0.0.1:${server.port}/`, { replayable: true }));
      expect(result).toMatchObject({ outcome: 'response', body: 'mine' });
    });
    await client.close();
  });
});

describe('https', () => {
  const trusting = (host: string, address = '127.0.0.1') => ({
    client: clientOf({ resolver: async () => [address], trustedCertificates: [certificate] }),
    url: (port: number) => `https://${host}:${port}/`,
  });
  const serveTls = () => start((socket) => socket.end(answerOf(200, {}, 'secret')), { tls: true });

  it.each(['receiver.test', 'receiver.test.', 'a.receiver.test', '127.0.0.1'])(
    'accepts a certificate for %s',
    async (host) => {
      const { port } = await serveTls();
      const { client, url } = trusting(host);
      expect(await client.send(requestOf(url(port)))).toMatchObject({ outcome: 'response', body: 'secret' });
    },
  );

  it.each([
    ['other.test', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
  ])('refuses a certificate that is not for %s', async (host, address) => {
    const { port } = await start((socket) => socket.end(answerOf(200)), { tls: true, host: address });
    const { client, url } = trusting(host, address);
    const result = await client.send(requestOf(url(port)));
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The TLS certificate is for another name',
      requestSent: false,
    });
  });

  it('refuses an untrusted certificate, whatever the environment says', async () => {
    const server = await serveTls();
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const result = await clientOf().send(requestOf(`https://127.0.0.1:${server.port}/`));
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The TLS certificate is self-signed',
      requestSent: false,
    });
    expect(server.requests).toHaveLength(0);
  });

  it('keeps connections alive too', async () => {
    const server = await start((socket) => socket.write(answerOf(200)), { tls: true });
    const { client, url } = trusting('receiver.test');
    for (let index = 0; index < 3; index += 1)
      await client.send(requestOf(url(server.port), { replayable: true }));
    expect([server.requests.length, server.sockets.length]).toEqual([3, 1]);
    await client.close();
  });

  it('reports plain http on a TLS port', async () => {
    const server = await start((socket) => socket.end(answerOf(200)));
    server.sockets.length = 0;
    const { client, url } = trusting('receiver.test');
    const result = await client.send(requestOf(url(server.port), { deadlineMs: 500 }));
    expect(['connection_error', 'timeout']).toContain(result.outcome);
    expect(result.requestSent).toBe(false);
  });
});
