import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signWebhook } from './index.ts';

const body = JSON.stringify({ event: 'call_ended', payload: { name: 'Zoë 🎧' } });
const now = new Date();

describe('signWebhook', () => {
  it('matches the example of the specification', () => {
    const headers = signWebhook(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1614265330_000),
      '{"test": 2432232314}',
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is verified by the official package, with and without the prefix', () => {
    const secret = newWebhookSecret();
    for (const known of [secret, secret.replace('whsec_', '')]) {
      const headers = signWebhook([known], 'evt_1', now, body);
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }
  });

  it('signs like the official package, down to the fraction of a second', () => {
    const secret = newWebhookSecret();
    const at = new Date(1_700_000_000_999);
    expect(signWebhook([secret], 'evt_1', at, body)['webhook-signature']).toBe(
      new Webhook(secret).sign('evt_1', at, body),
    );
  });

  it('has both signatures during a rotation', () => {
    const [older, newer] = [newWebhookSecret(), newWebhookSecret()];
    const headers = signWebhook([newer, older], 'evt_1', now, body);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [older, newer])
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
  });

  it('is valid only for this id, time and body', () => {
    const secret = newWebhookSecret();
    const headers = signWebhook([secret], 'evt_1', now, body);
    const webhook = new Webhook(secret);
    expect(() => webhook.verify(`${body} `, headers)).toThrow();
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => webhook.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow();
  });

  it('refuses to sign without a secret', () => {
    for (const secrets of [[], [''], ['whsec_']])
      expect(() => signWebhook(secrets, 'e', now, body)).toThrow(RangeError);
  });
});

it('creates secrets of 32 random bytes', () => {
  const secret = newWebhookSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret()).not.toBe(secret);
});
