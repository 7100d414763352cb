import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';

/** In which no download gives way, however long a slow machine takes to open them all. */
const NEVER_MS = 24 * 3_600_000;

/** Much shorter than the half minute for which slow clients occupy what they have. */
const SOON_MS = 10_000;

/** More than the connections that the gateway has for any kind of request. */
const MANY = 200;
/** More than sockets buffer. */
const FILE = Buffer.alloc(16 * 1024 ** 2, 'x');
const CALL = '/v2/call/0197a000-0000-7000-8000-000000000000';

describe('clients that read slowly [trust.1]', () => {
  let gateway: Gateway;
  let owner: Awaited<ReturnType<typeof fakeOwner>>;
  let other: string;
  const open = new Set<Socket>();

  beforeAll(async () => {
    owner = await fakeOwner((req, res) => {
      if (req.url?.startsWith(CALL)) return res.end('{}');
      res.end(FILE);
    });
    gateway = await boot(NEVER_MS);
    other = (await createWorkspace(gateway.admin, { name: 'Other' })).private_key;
  });
  afterEach(() => {
    for (const socket of open) socket.destroy();
    open.clear();
  });
  afterAll(async () => {
    await gateway.stop();
    await owner.close();
  });

  const boot = (slowForMs: number) =>
    bootGateway(
      {
        TELEPHONY_URL: owner.url,
        TRUSTED_PROXIES: '127.0.0.0/8',
        OPEN_REQUESTS_PER_MINUTE: '1000000',
        LINK_REQUESTS_PER_MINUTE: '1000000',
        RATE_LIMIT_BURST: '1000000',
      },
      undefined,
      { downloads: { slowForMs } },
    );

  /** Requests a path, reads the status line, and nothing more. Undefined: there is none yet. */
  function ask(path: string, headers: Record<string, string>, at = gateway): () => number | undefined {
    let status: number | undefined;
    const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
    open.add(socket);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`);
    socket.on('error', () => {});
    socket.once('data', (chunk: Buffer) => {
      status = Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1]);
      socket.pause();
    });
    return () => status;
  }

  const addressOf = (n: number): string => `198.51.${n >> 8}.${n & 255}`;
  const recording = (key: string, address: string, at?: Gateway) =>
    ask(`/recordings/${key}?expires=1&signature=x`, { 'x-forwarded-for': address }, at);
  const statusesOf = async (asked: (() => number | undefined)[]): Promise<number[]> => {
    await eventually(() => expect(asked.map((status) => status())).not.toContain(undefined));
    return asked.map((status) => status() ?? 0);
  };
  const exportsSeen = (): number => owner.seen.filter(({ url }) => url === '/v2/call/export.csv').length;
  const countOf = (statuses: number[], status: number): number =>
    statuses.filter((one) => one === status).length;
  const elsewhere = async (): Promise<{ status: number; ms: number }> => {
    const beganMs = performance.now();
    const { status } = await fetch(gateway.url + CALL, { headers: { authorization: `Bearer ${other}` } });
    return { status, ms: performance.now() - beganMs };
  };

  it('of recordings, from many addresses and with many links, delay no request of a key', async () => {
    const answered = await statusesOf(
      Array.from({ length: MANY }, (_, n) => recording(`call-${n}.wav`, addressOf(n))),
    );
    expect(countOf(answered, 200)).toBe(112);
    expect(countOf(answered, 429)).toBe(MANY - 112);
    const { status, ms } = await elsewhere();
    expect(status).toBe(200);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('of recordings give way to other downloads once they have been slow for some time', async () => {
    const hasty = await boot(500);
    try {
      const slow = Array.from({ length: 112 }, (_, n) => recording(`call-${n}.wav`, addressOf(n), hasty));
      expect(countOf(await statusesOf(slow), 200)).toBe(112);
      // None of them has ended: there is room only if one gives way.
      await eventually(
        async () => {
          const response = await fetch(`${hasty.url}/recordings/mine.wav`, {
            headers: { 'x-forwarded-for': '203.0.113.1' },
          });
          expect(response.status).toBe(200);
          expect((await response.arrayBuffer()).byteLength).toBe(FILE.length);
        },
        { timeoutMs: 25_000 },
      );
    } finally {
      await hasty.stop();
    }
  });

  it('of recordings are at most four for one link, and eight from one network', async () => {
    const ofLink = Array.from({ length: 6 }, (_, n) => recording('one.wav', addressOf(n)));
    expect((await statusesOf(ofLink)).sort()).toEqual([200, 200, 200, 200, 429, 429]);
    const ofNetwork = Array.from({ length: 10 }, (_, n) => recording(`${n}.wav`, '203.0.113.7'));
    const statuses = await statusesOf(ofNetwork);
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([8, 2]);
  });

  it('of messages of web calls delay no request of a key, and others with the same token wait', async () => {
    const read = (n: number, token: string) =>
      ask('/widget/session/messages', { 'x-forwarded-for': addressOf(n), 'x-access-token': token });
    const ofToken = Array.from({ length: 6 }, (_, n) => read(n, 'same'));
    await eventually(() => expect(ofToken.filter((status) => status() === 200)).toHaveLength(4));
    const asked = Array.from({ length: MANY }, (_, n) => read(n, `token ${n}`));
    await eventually(() =>
      expect(
        countOf(
          asked.map((status) => status() ?? 0),
          200,
        ),
      ).toBeGreaterThan(100),
    );
    const { status, ms } = await elsewhere();
    expect([status, ms < SOON_MS]).toEqual([200, true]);
    expect(ofToken.filter((it) => it() === undefined)).toHaveLength(2);
  });

  it('or write slowly, without a key and from many addresses, delay no other visitor', async () => {
    const paths = ['/widget/session/messages', '/widget/session/offer'];
    const bodies = Array.from({ length: 2 * MANY }, (_, n) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      open.add(socket);
      socket.on('error', () => {});
      const from = `Host: x\r\nX-Forwarded-For: ${addressOf(n)}\r\nX-Access-Token: token ${n}\r\n`;
      socket.write(`POST ${paths[n % 2]} HTTP/1.1\r\n${from}Content-Length: 100\r\n\r\n{`);
      return socket;
    });
    // The gateway has read the beginning of each of them.
    await eventually(() => expect(bodies.every(({ bytesWritten }) => bytesWritten > 0)).toBe(true));
    const before = owner.uploads();
    for (const path of paths) {
      const response = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'x-forwarded-for': '203.0.113.9', 'x-access-token': 'own' },
        body: '{"content":"Hello"}',
        signal: AbortSignal.timeout(SOON_MS),
      });
      expect(response.status).toBe(200);
    }
    // Of all these bodies the service has got those that were complete.
    expect(owner.uploads()).toBe(before + paths.length);
    expect(owner.seen.at(-1)?.body.toString()).toBe('{"content":"Hello"}');
  });

  it('and leave release what is pipelined behind their response', async () => {
    const before = exportsSeen();
    const { private_key } = await createWorkspace(gateway.admin, { name: 'Pipelining' });
    const request = (path: string, headers: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;
    const behind = request('/v2/call/export.csv', `Authorization: Bearer ${private_key}`).repeat(8);
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    open.add(socket);
    socket.on('error', () => {});
    socket.write(
      request('/recordings/first.wav?expires=1&signature=x', 'X-Forwarded-For: 203.0.113.20') + behind,
    );
    socket.once('data', () => socket.pause());
    await eventually(() => expect(exportsSeen()).toBe(before + 8));
    const exported = () =>
      statusesOf([ask('/v2/call/export.csv', { authorization: `Bearer ${private_key}` })]);
    expect(await exported()).toEqual([429]);
    socket.destroy();
    await eventually(async () => expect(await exported()).toEqual([200]));
  });

  it('of exports of a workspace delay no request of another', async () => {
    const keys = await Promise.all(
      Array.from({ length: 17 }, async (_, n) => createWorkspace(gateway.admin, { name: `Slow ${n}` })),
    );
    const asked = keys.flatMap(({ private_key }) =>
      Array.from({ length: 8 }, () => ask('/v2/call/export.csv', { authorization: `Bearer ${private_key}` })),
    );
    const statuses = await statusesOf(asked);
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([112, 24]);
    const { status, ms } = await elsewhere();
    expect([status, ms < SOON_MS]).toEqual([200, true]);
  });
});
