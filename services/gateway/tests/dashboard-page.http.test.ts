import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bootGateway, bootReplica, type Gateway } from './harness.ts';

const SCRIPT = 'export const dashboard = "the built script";\n'.repeat(20);
const ASSET = '/dashboard/assets/index-B1a2C3d4.js';

let gateway: Gateway;
let folder = '';
let dist = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-dashboard-'));
  dist = join(folder, 'dist');
  await mkdir(join(dist, 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'outside of the build');
  await writeFile(join(dist, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const asset = join(dist, 'assets/index-B1a2C3d4.js');
  await writeFile(asset, SCRIPT);
  await writeFile(`${asset}.gz`, gzipSync(SCRIPT));
  await writeFile(`${asset}.br`, brotliCompressSync(SCRIPT));
  await writeFile(
    join(dist, 'index.html'),
    '<meta property="csp-nonce" nonce="__CSP_NONCE__"><div id="root">',
  );
  gateway = await bootGateway({ DASHBOARD_DIR: dist, PUBLIC_URL: 'https://parley.example' });
});

afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway.url + path, { method, headers, redirect: 'manual' });

/** The raw response: `fetch` resolves `..` itself. */
function getRaw(path: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = createConnection(Number(port), hostname);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}

describe('the built files [dashboard.1]', () => {
  it('assets are compressed at build time and never change', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await get(ASSET, { 'accept-encoding': encoding });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(SCRIPT);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': expect.stringContaining('javascript'),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
      });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      const etag = response.headers.get('etag') ?? '';
      const again = await get(ASSET, {
        'accept-encoding': encoding,
        'if-none-match': etag,
        'cache-control': 'max-age=0',
      });
      expect([again.status, again.headers.get('cache-control')]).toEqual([
        304,
        'public, max-age=31536000, immutable',
      ]);
      const head = await get(ASSET, { 'accept-encoding': encoding }, 'HEAD');
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
  });

  it.each([
    ['if-match', '"of another build"'],
    ['if-unmodified-since', 'Fri, 01 Jan 2010 00:00:00 GMT'],
  ])('are sent regardless of %s', async (name, value) => {
    for (const path of [ASSET, '/dashboard/icon.svg'])
      expect([path, (await get(path, { [name]: value })).status]).toEqual([path, 200]);
  });

  it('other files are cached for minutes, and a missing asset is 404, never the page', async () => {
    const icon = await get('/dashboard/icon.svg');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(icon.headers.get('cache-control')).toBe('public, max-age=300');
    const missing = await get('/dashboard/assets/index-of-an-earlier-build.js');
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it.each([
    '/dashboard/../secret.txt',
    '/dashboard/%2e%2e/secret.txt',
    '/dashboard/assets/..%2f..%2fsecret.txt',
    '/dashboard/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/dashboard/..%5csecret.txt',
    '/dashboard//../secret.txt',
    '/dashboard/%00',
    '/dashboard/%zz',
  ])('nothing outside of the folder is served by %s', async (path) => {
    const response = await getRaw(path);
    expect(response).not.toContain('outside of the build');
    expect(response).toMatch(/^HTTP\/1.1 (200|400|404) /);
  });

  it('other methods are 405', async () => {
    for (const path of ['/dashboard/', ASSET]) {
      const response = await get(path, {}, 'POST');
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });
});

describe('the page [dashboard.2]', () => {
  it('is served at every other path of the dashboard, never cached unchecked', async () => {
    for (const path of ['/dashboard/', '/dashboard/calls/some-id?tab=webhooks', '/dashboard/index.html']) {
      const response = await get(path);
      expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'no-cache']);
      expect(await response.text()).toContain('<div id="root">');
    }
    const bare = await get('/dashboard?a=b');
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/dashboard/?a=b']);
  });

  it('has a strict policy, with a nonce of its own in each response', async () => {
    const nonces = await Promise.all(
      ['/dashboard/', '/dashboard/'].map(async (path) => {
        const response = await get(path);
        const policy = response.headers.get('content-security-policy') ?? '';
        expect(policy).toContain("default-src 'none'; script-src 'self';");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).toContain("media-src 'self' blob: https://parley.example;");
        const [, nonce = ''] = /style-src 'self' 'nonce-([^']{20,})';/.exec(policy) ?? [];
        expect(await response.text()).toContain(`nonce="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
    expect((await get('/dashboard/')).headers.get('permissions-policy')).toContain('microphone=(self)');
  });

  it('is not served for the API of the dashboard', async () => {
    for (const path of ['/dashboard/api', '/dashboard/api/unknown', '/Dashboard/']) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('content-type')).toContain('application/json');
    }
  });

  it('is that of a new build at once', async () => {
    await writeFile(join(dist, 'index.html'), 'the next build');
    await utimes(join(dist, 'index.html'), new Date(), new Date(Date.now() + 5_000));
    expect(await (await get('/dashboard/')).text()).toBe('the next build');
  });

  it('without a build it says how to build one', async () => {
    const replica = await bootReplica(gateway.database, { DASHBOARD_DIR: join(folder, 'nowhere') });
    const response = await fetch(`${replica.url}/dashboard/`);
    await replica.stop();
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run build');
  });
});

describe('GET / [dashboard.3]', () => {
  it('leads browsers to the dashboard, and is 404 for other clients', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/dashboard/']);
    for (const accept of ['*/*', 'application/json']) expect((await get('/', { accept })).status).toBe(404);
  });
});
