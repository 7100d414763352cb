import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { answerOf, brief, clientOf, type RawServer, rawServer, requestOf } from './harness.ts';
import { unacceptingServer } from './unaccepting-server.ts';

const DEADLINE_MS = 400;
const LATEST_MS = DEADLINE_MS + 5000;
const client = clientOf();

const sendTo = async (answer: (socket: Socket) => void, change = {}) => {
  const server: RawServer = await rawServer(answer);
  const result = await client.send(
    requestOf(`http://127.0.0.1:${server.port}/`, { deadlineMs: DEADLINE_MS, ...change }),
  );
  const peerClosed = await new Promise<boolean>((resolve) => {
    const [socket] = server.sockets;
    if (!socket || socket.destroyed) return resolve(true);
    socket.once('close', () => resolve(true));
    setTimeout(() => resolve(false), 5000);
  });
  await server.close();
  return { result, peerClosed };
};

const trickle = (socket: Socket, everyMs: number, text: string): void => {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
};

const flood = (socket: Socket): void => {
  const block = Buffer.alloc(65_536, 'x');
  const more = (): void => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', more);
  more();
};

describe('before the response head', () => {
  const timeout = { outcome: 'timeout', status: 0, sent: true };

  it('an unresponsive name server', async () => {
    const silent = clientOf({ resolver: () => new Promise(() => {}) });
    const result = await silent.send(requestOf('https://receiver.test/', { deadlineMs: DEADLINE_MS }));
    expect(brief(result)).toEqual({ ...timeout, sent: false });
    expect(result.durationMs).toBeLessThan(LATEST_MS);
  });

  it('a connection that is never accepted', async () => {
    const server = await unacceptingServer();
    const result = await client.send(
      requestOf(`http://127.0.0.1:${server.port}/`, { deadlineMs: DEADLINE_MS }),
    );
    await server.close();
    expect(brief(result)).toEqual({ ...timeout, sent: false });
    expect(result.durationMs).toBeLessThan(LATEST_MS);
  });

  it('a TLS handshake that never completes', async () => {
    const server = await rawServer(() => {});
    const result = await client.send(
      requestOf(`https://127.0.0.1:${server.port}/`, { deadlineMs: DEADLINE_MS }),
    );
    expect(brief(result)).toEqual({ ...timeout, sent: false });
    await server.close();
  });

  it('a head that never arrives', async () => {
    const { result, peerClosed } = await sendTo(() => {});
    expect(brief(result)).toEqual(timeout);
    expect('error' in result && result.error).toBe('No complete response within 0.4 s');
    expect(result.durationMs).toBeGreaterThanOrEqual(DEADLINE_MS);
    expect(result.durationMs).toBeLessThan(LATEST_MS);
    expect(peerClosed).toBe(true);
  });

  it('reports the remaining limit in tenths of a second', async () => {
    const { result } = await sendTo(() => {}, { deadlineMs: 393.818835000042 });
    expect('error' in result && result.error).toBe('No complete response within 0.4 s');
  });

  it('a head that arrives byte by byte', async () => {
    const { result } = await sendTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      trickle(socket, 20, 'y');
    });
    expect(brief(result)).toEqual(timeout);
  });

  it('slow interim responses', async () => {
    const { result } = await sendTo((socket) =>
      trickle(socket, 100, 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
    );
    expect(brief(result)).toEqual(timeout);
  });

  it('the deadline includes a redirect', async () => {
    const { result } = await sendTo((socket) => {
      setTimeout(() => socket.write(answerOf(307, { location: '/next' })), 300);
    });
    expect(brief(result)).toEqual(timeout);
    expect(result.durationMs).toBeLessThan(LATEST_MS);
  });
});

describe('an endless body', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
  const partial = (socket: Socket): void => {
    socket.write(`${head}begun`);
    trickle(socket, 20, '.');
  };

  it('leaves a 2xx a success if the body is only recorded', async () => {
    const { result, peerClosed } = await sendTo(partial);
    expect(result).toMatchObject({
      outcome: 'response',
      status: 200,
      bodyComplete: false,
      bodyTruncated: false,
    });
    expect(result.body).toMatch(/^begun\.+$/);
    expect(result.durationMs).toBeLessThan(LATEST_MS);
    expect(peerClosed).toBe(true);
  });

  it('is a timeout with its status if the body is required', async () => {
    const { result } = await sendTo(partial, { readBody: 'full' });
    expect(brief(result)).toEqual({ outcome: 'timeout', status: 200, sent: true });
    expect(result.body).toMatch(/^begun/);
  });

  it('is a connection error with its status if a required body breaks off', async () => {
    const cut = (socket: Socket): void => void socket.end(`${head}begun`);
    expect(brief((await sendTo(cut, { readBody: 'full' })).result)).toEqual({
      outcome: 'connection_error',
      status: 200,
      sent: true,
    });
    expect((await sendTo(cut)).result).toMatchObject({
      outcome: 'response',
      status: 200,
      body: 'begun',
      bodyComplete: false,
    });
    const reset = (socket: Socket): void => {
      socket.write(`${head}begun`, () => setTimeout(() => socket.resetAndDestroy(), 50));
    };
    expect((await sendTo(reset)).result).toMatchObject({
      outcome: 'response',
      status: 200,
      bodyComplete: false,
    });
  });

  it('keeps an error status', async () => {
    const { result } = await sendTo((socket) =>
      socket.write('HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nhalf'),
    );
    expect(result).toMatchObject({ outcome: 'response', status: 500, body: 'half', bodyComplete: false });
  });

  it.each(['record', 'full'] as const)(
    'is read up to its cap, and then dropped at once: %s',
    async (readBody) => {
      const heapBefore = process.memoryUsage().rss;
      const { result, peerClosed } = await sendTo(
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
          flood(socket);
        },
        { readBody, deadlineMs: 10_000 },
      );
      expect(result).toMatchObject({
        outcome: 'response',
        status: 200,
        bodyTruncated: true,
        bodyComplete: false,
      });
      expect(result.body).toBe('x'.repeat(65_536));
      expect(result.durationMs).toBeLessThan(2000);
      expect(peerClosed).toBe(true);
      expect(process.memoryUsage().rss - heapBefore).toBeLessThan(100 * 2 ** 20);
    },
  );

  it('may have another cap, and ends between characters', async () => {
    const answer = (socket: Socket): void => void socket.end(answerOf(200, {}, 'aüü'));
    const at = async (maxResponseBytes: number) => (await sendTo(answer, { maxResponseBytes })).result;
    expect(await at(4)).toMatchObject({ body: 'aü', bodyTruncated: true, bodyComplete: false });
    expect(await at(5)).toMatchObject({ body: 'aüü', bodyTruncated: false, bodyComplete: true });
    expect(await at(0)).toMatchObject({ outcome: 'response', body: '', bodyTruncated: true });
  });
});

describe('a malformed response', () => {
  const broken = { outcome: 'connection_error', status: 0, sent: true };
  const cases: [string, (socket: Socket) => void][] = [
    ['closed without a word', (socket) => socket.end()],
    ['reset without a word', (socket) => socket.resetAndDestroy()],
    [
      'reset in its head',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\nx: y', () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ],
    ['closed in its head', (socket) => socket.end('HTTP/1.1 200 OK\r\nx: y')],
    ['not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    ],
    ['one huge header', (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)],
    [
      'many headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x: yyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(2000)}\r\n`),
    ],
    [
      'an upgrade',
      (socket) => socket.end('HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    ],
  ];
  it.each(cases)('%s', async (_name, answer) => {
    const { result, peerClosed } = await sendTo(answer, { deadlineMs: 3000 });
    expect(brief(result)).toEqual(broken);
    expect(result.durationMs).toBeLessThan(1000);
    expect(peerClosed).toBe(true);
  });

  it('endless headers', async () => {
    const { result } = await sendTo(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        flood(socket);
      },
      { deadlineMs: 5000 },
    );
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The response headers are too large',
    });
    expect(result.durationMs).toBeLessThan(2000);
  });

  it('no server', async () => {
    const server = await rawServer(() => {});
    await server.close();
    const result = await client.send(requestOf(`http://127.0.0.1:${server.port}/`));
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The connection was refused',
      requestSent: false,
    });
  });
});

describe('the caller’s signal', () => {
  it('aborts before and during a request', async () => {
    const gone = await client.send(requestOf('http://127.0.0.1:9/', { signal: AbortSignal.abort() }));
    expect(brief(gone)).toEqual({ outcome: 'aborted', status: 0, sent: false });
    const leaving = new AbortController();
    const { result, peerClosed } = await sendTo(() => leaving.abort(), {
      deadlineMs: 60_000,
      signal: leaving.signal,
    });
    expect(brief(result)).toEqual({ outcome: 'aborted', status: 0, sent: true });
    expect(peerClosed).toBe(true);
  });

  it('does not undo a response whose head has arrived', async () => {
    const leaving = new AbortController();
    const { result } = await sendTo(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf');
        setTimeout(() => leaving.abort(), 1000);
      },
      { deadlineMs: 60_000, signal: leaving.signal },
    );
    expect(result).toMatchObject({ outcome: 'response', status: 200, body: 'half' });
  });
});
