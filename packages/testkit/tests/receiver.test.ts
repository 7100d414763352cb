import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type ReceivedRequest, type Receiver, receiver } from '../src/index.ts';

let server: Receiver;

beforeEach(async () => {
  server = await receiver();
});
afterEach(() => server.close());

const post = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { method: 'POST', redirect: 'manual', ...init });

describe('receiver', () => {
  it('records requests with their exact bodies, by path', async () => {
    await post('/a?x=1', { body: '{"a": 1 }', headers: { 'x-test': 'yes' } });
    await post('/b');
    expect(server.requests().map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(server.requests('/a')).toMatchObject([
      { method: 'POST', url: '/a?x=1', body: '{"a": 1 }', headers: { 'x-test': 'yes' } },
    ]);
  });

  it('answers an empty 200 unless scripted, then in the order of the script, repeating the last answer', async () => {
    server.script('/a', { status: 500, body: 'no' }, { status: 201, body: { ok: true } });
    const answers = [await post('/a'), await post('/a'), await post('/a'), await post('/b')];
    expect(answers.map(({ status }) => status)).toEqual([500, 201, 201, 200]);
    expect(await answers[0]?.text()).toBe('no');
    expect(await answers[1]?.json()).toEqual({ ok: true });
  });

  it('redirects, waits, hangs and resets', async () => {
    server.script('/redirect', { redirect: 'http://127.0.0.1:1/' });
    const redirected = await post('/redirect');
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/']);

    server.script('/slow', { delayMs: 100 });
    const started = performance.now();
    await post('/slow');
    expect(performance.now() - started).toBeGreaterThanOrEqual(99);

    server.script('/hang', { fault: 'hang' });
    await expect(post('/hang', { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/);

    server.script('/reset', { fault: 'reset' });
    await expect(post('/reset')).rejects.toThrow('fetch failed');
  });
});

describe('verify', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const body = '{"event":"call_ended"}';

  const received = async (signedWith: string, sent: string): Promise<ReceivedRequest> => {
    const at = new Date();
    await post('/hook', {
      body: sent,
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(signedWith).sign('msg_1', at, body),
      },
    });
    const [request] = server.requests('/hook');
    if (!request) throw new Error('nothing received');
    return request;
  };

  it('returns the payload of a genuine request', async () => {
    expect(server.verify(await received(secret, body), secret)).toEqual({ event: 'call_ended' });
  });

  it('throws for another secret, and for a changed body', async () => {
    const other = `whsec_${randomBytes(24).toString('base64')}`;
    const request = await received(secret, body);
    expect(() => server.verify(request, other)).toThrow();
    expect(() => server.verify({ ...request, body: `${body} ` }, secret)).toThrow();
  });
});
