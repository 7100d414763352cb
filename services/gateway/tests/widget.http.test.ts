import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { bootGateway, type Gateway } from './harness.ts';

/** Compressed size, because pages of customers load it. */
const MAX_BYTES = 15_000;

let gateway: Gateway;
let production: Gateway;
let folder = '';
const telephony = createServer((_, res) => res.writeHead(404).end());
const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'parley-audio' });
const seen: { url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  telephony.on('upgrade', (req, socket, head) => {
    const [, token] = (req.headers['sec-websocket-protocol'] ?? '').split(/, ?/);
    seen.push({ url: req.url ?? '', headers: req.headers });
    if (token === 'refused') {
      socket.end('HTTP/1.1 409 Conflict\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
      return;
    }
    sockets.handleUpgrade(req, socket, head, (opened) => {
      opened.on('message', (data, isBinary) => opened.send(data, { binary: isBinary }));
    });
  });
  await new Promise<void>((resolve) => telephony.listen(0, '127.0.0.1', resolve));
  const TELEPHONY_URL = `http://127.0.0.1:${(telephony.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'parley-demo-'));
  const DEMO_FILE = join(folder, 'demo.json');
  await writeFile(DEMO_FILE, JSON.stringify({ public_key: 'svc_pub_demo', private_key: 'svc_secret' }));
  gateway = await bootGateway({
    TELEPHONY_URL,
    DEMO_FILE,
    LINK_REQUESTS_PER_MINUTE: '6',
    RATE_LIMIT_BURST: '20',
  });
  production = await bootGateway({ NODE_ENV: 'production' });
});

afterAll(async () => {
  for (const client of sockets.clients) client.terminate();
  await gateway?.stop();
  await production?.stop();
  telephony.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
  await new Promise((resolve) => telephony.close(resolve));
});

describe('GET /widget.js [web-calls.9]', () => {
  it('is one small script for pages of every origin, cached and validated', async () => {
    for (const path of ['/widget.js', '/widget/worklet.js']) {
      const response = await fetch(`${gateway.url}${path}`, { headers: { origin: 'https://shop.example' } });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': expect.stringContaining('public, max-age='),
        'x-content-type-options': 'nosniff',
      });
      const text = await response.text();
      expect(gzipSync(text).length).toBeLessThan(MAX_BYTES);
      // A strict content security policy and Trusted Types forbid them.
      expect(text).not.toMatch(/\beval\(|new Function|innerHTML|document\.write/);
      const etag = response.headers.get('etag') ?? '';
      const again = await fetch(`${gateway.url}${path}`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
  });

  it('can be tried on a page of its own, except in production', async () => {
    const page = await fetch(`${gateway.url}/widget/demo?agent_id=x`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    const text = await page.text();
    expect(text).toContain('<script src="/widget.js"');
    expect(text).toContain('value="svc_pub_demo"');
    expect(text).not.toContain('svc_secret');
    expect((await fetch(`${production.url}/widget/demo`)).status).toBe(404);
    expect((await fetch(`${production.url}/widget.js`)).status).toBe(200);
  });
});

describe('the WebSocket of a web call [web-calls.8]', () => {
  const connect = (token: string, path = '/widget/session/audio') => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`, [
      'parley-audio',
      token,
      'participant',
    ]);
    return new Promise<WebSocket>((resolve, reject) => {
      socket.once('open', () => resolve(socket));
      socket.once('unexpected-response', (_, response) =>
        reject(new Error(`refused with ${response.statusCode}`)),
      );
      socket.once('error', reject);
    });
  };

  it('is forwarded to telephony with its credentials, and nothing else of the client', async () => {
    const socket = await connect('token-1');
    const echoed = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send('hello');
    expect(await echoed).toBe('hello');
    expect(seen.at(-1)).toMatchObject({
      url: '/widget/session/audio',
      headers: {
        'sec-websocket-protocol': expect.stringContaining('token-1'),
        'x-request-id': expect.any(String),
      },
    });
    expect(seen.at(-1)?.headers.origin).toBeUndefined();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const client of sockets.clients) client.terminate();
    await closed;
  });

  it('is refused by telephony, and on other paths', async () => {
    await expect(connect('refused')).rejects.toThrow('refused with 409');
    await expect(connect('token-2', '/v1/assistant')).rejects.toThrow('refused with 404');
  });

  it('counts against the limits of routes with a token', async () => {
    const outcomes: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      const outcome = await connect('token-3').then(
        (socket) => {
          socket.terminate();
          return 'open';
        },
        (err: Error) => err.message,
      );
      outcomes.push(outcome);
    }
    expect(outcomes[0]).toBe('open');
    expect(outcomes.at(-1)).toBe('refused with 429');
  });

  it('other protocols are served as before', async () => {
    const response = await new Promise<string>((resolve) => {
      const url = new URL(gateway.url);
      const socket = createConnection(Number(url.port), url.hostname);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    });
    expect(response).toMatch(/^HTTP\/1.1 200 /);
  });
});
