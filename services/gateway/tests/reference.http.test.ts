import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { bootGateway, type Gateway } from './harness.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await bootGateway();
});

afterAll(() => gateway.stop());

describe('GET /docs', () => {
  it('is a page with scripts that the gateway serves itself, and references nothing external', async () => {
    const page = await request(gateway.url).get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => String(source));
    expect(sources).toEqual(expect.arrayContaining(['/docs/redoc.js', '/docs/page.js', '/openapi.json']));
    for (const source of sources) expect(source).toMatch(/^(?:\/(?!\/)|data:)/);
    for (const source of sources.filter((it) => it.startsWith('/'))) {
      expect((await request(gateway.url).get(source)).status).toBe(200);
    }
    // The page has no inline scripts, which its policy would block.
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|\son\w+=/);
  });

  it('allows no script, connection or frame of other origins', async () => {
    const { headers } = await request(gateway.url).get('/docs');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join(' ')).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  it('renders with a bundle that requests nothing from its vendor, compressed, and cached while unchanged', async () => {
    const bundle = await request(gateway.url).get('/docs/redoc.js');
    expect(bundle.headers['content-encoding']).toBe('gzip');
    expect(bundle.text).toContain('Redoc');
    expect(bundle.text).not.toContain('cdn.redoc');
    const etag = String(bundle.headers.etag);
    const again = await request(gateway.url).get('/docs/redoc.js').set('if-none-match', etag);
    expect(again.status).toBe(304);
    const plain = await request(gateway.url).get('/docs/redoc.js').set('accept-encoding', 'identity');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.text).toBe(bundle.text);
  });
});

describe('GET /openapi.json', () => {
  it('needs no key, and is readable by any tool', async () => {
    const { status, headers, body } = await request(gateway.url).get('/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Parley' } });
  });

  it.each(['/docs', '/docs/redoc.js', '/openapi.json'])(
    '%s accepts only GET and HEAD [general.8]',
    async (path) => {
      const { status, headers, body } = await request(gateway.url).post(path);
      expect([status, headers.allow, body.error.code]).toEqual([405, 'GET, HEAD', 'METHOD_NOT_ALLOWED']);
    },
  );
});
