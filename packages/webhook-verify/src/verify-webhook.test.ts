import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signWebhook } from '@parley/kit/outbound';
import { Webhook } from 'standardwebhooks';
import { verifyToolRequest, verifyWebhook } from './index.ts';

const body = JSON.stringify({ event: 'call_ended', payload: { name: 'Zoë 🎧' } });
const secret = newWebhookSecret();
const signedAt = (at: Date, secrets = [secret], text = body) => signWebhook(secrets, 'evt_1', at, text);
const secondsAgo = (seconds: number) => new Date(Math.floor(Date.now() / 1000) * 1000 - seconds * 1000);

/** Whether the official package takes it too. */
function official(text: string, headers: Record<string, string>, key = secret): boolean {
  try {
    new Webhook(key).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}

describe('verifyWebhook and the official standardwebhooks package', () => {
  it('verifies what the package signs', () => {
    const at = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    };
    expect(verifyWebhook(body, headers, secret)).toBe(true);
    expect(verifyWebhook(body, headers, newWebhookSecret())).toBe(false);
  });

  it('both verify what Parley signs, as text and as bytes, with and without the prefix', () => {
    const headers = signedAt(new Date());
    expect(official(body, headers)).toBe(true);
    for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      for (const key of [secret, secret.replace('whsec_', '')])
        expect(verifyWebhook(raw, headers, key)).toBe(true);
    }
  });

  it.each([
    ['another body', (h: Record<string, string>) => [h, `${body} `] as const],
    ['another id', (h) => [{ ...h, 'webhook-id': 'evt_2' }, body] as const],
    [
      'another time',
      (h) => [{ ...h, 'webhook-timestamp': String(Number(h['webhook-timestamp']) + 1) }, body] as const,
    ],
    ['no id', ({ 'webhook-id': _, ...h }) => [h, body] as const],
    ['no time', ({ 'webhook-timestamp': _, ...h }) => [h, body] as const],
    ['no signature', ({ 'webhook-signature': _, ...h }) => [h, body] as const],
    ['an empty signature', (h) => [{ ...h, 'webhook-signature': 'v1,' }, body] as const],
    [
      'a signature cut short',
      (h) => [{ ...h, 'webhook-signature': h['webhook-signature']?.slice(0, -2) ?? '' }, body] as const,
    ],
    [
      'an unknown version',
      (h) =>
        [{ ...h, 'webhook-signature': h['webhook-signature']?.replace('v1', 'v2') ?? '' }, body] as const,
    ],
    ['a time that is none', (h) => [{ ...h, 'webhook-timestamp': 'now' }, body] as const],
  ] as [string, (headers: Record<string, string>) => readonly [Record<string, string>, string]][])(
    'both refuse %s',
    (_, change) => {
      const [headers, text] = change(signedAt(new Date()));
      expect([verifyWebhook(text, headers, secret), official(text, headers)]).toEqual([false, false]);
    },
  );
});

describe('verifyWebhook', () => {
  it.each([
    [0, true],
    [280, true],
    [-280, true],
    [320, false],
    [-320, false],
  ])('a signature that is %d seconds old is accepted: %p (five minutes either way)', (seconds, accepted) => {
    const headers = signedAt(secondsAgo(seconds));
    expect([verifyWebhook(body, headers, secret), official(body, headers)]).toEqual([accepted, accepted]);
  });

  it('accepts up to exactly five minutes', () => {
    const at = secondsAgo(0);
    const after = (seconds: number) => ({ now: new Date(at.getTime() + seconds * 1000) });
    const accepted = [-301, -300, 300, 301].map((s) => verifyWebhook(body, signedAt(at), secret, after(s)));
    expect(accepted).toEqual([false, true, true, false]);
    expect(verifyWebhook(body, signedAt(at), secret, { ...after(900), toleranceSeconds: 900 })).toBe(true);
  });

  it('accepts either secret during a rotation, and only those two', () => {
    const [older, newer] = [newWebhookSecret(), newWebhookSecret()];
    const headers = signedAt(new Date(), [newer, older]);
    for (const known of [older, newer]) expect(verifyWebhook(body, headers, known)).toBe(true);
    expect(verifyWebhook(body, headers, newWebhookSecret())).toBe(false);
  });

  it('accepts several secrets', () => {
    expect(verifyWebhook(body, signedAt(new Date()), [newWebhookSecret(), secret])).toBe(true);
  });

  it('reads headers of node:http, in any case, and of any fetch', () => {
    const headers = signedAt(new Date());
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    // Another implementation of fetch has a class of its own.
    const asked = new Map(Object.entries(headers));
    const other = { get: (name: string) => asked.get(name) ?? null };
    for (const form of [upper, lists, { ...headers, get: 'a header' }, new Headers(headers), other])
      expect(verifyWebhook(body, form, secret)).toBe(true);
    expect(verifyWebhook(body, { get: () => null }, secret)).toBe(false);
  });

  it('reports an invalid secret with an error of its own', () => {
    for (const wrong of ['', 'whsec_']) {
      expect(() => verifyWebhook(body, signedAt(new Date()), wrong)).toThrow(RangeError);
    }
  });
});

describe('verifyToolRequest', () => {
  const line = { method: 'GET', url: '/orders?n=1&tags=a&tags=b' };
  const headers = () => signedAt(new Date(), [secret], 'GET /orders?n=1&tags=a&tags=b');

  it('verifies a GET request by its method, path and query [tools.23]', () => {
    expect(verifyToolRequest(line, headers(), secret)).toBe(true);
    expect(verifyToolRequest({ ...line, method: 'get' }, new Headers(headers()), [secret])).toBe(true);
  });

  it.each([
    { ...line, method: 'POST' },
    { ...line, url: '/orders?n=2&tags=a&tags=b' },
    { ...line, url: '/orders' },
    { ...line, url: '/refunds?n=1&tags=a&tags=b' },
  ])('refuses the signature for %j', (other) => {
    expect(verifyToolRequest(other, headers(), secret)).toBe(false);
  });
});
