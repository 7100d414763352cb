import { describe, expect, it } from '@jest/globals';
import { checkWebhookUrl } from './check-webhook-url.ts';

const refused = (code: string) =>
  expect.objectContaining({
    code: 'VALIDATION_FAILED',
    details: [expect.objectContaining({ path: 'inbound_webhook_url', code })],
  });

describe('checkWebhookUrl (spec: PUT /v1/phone-number/{id})', () => {
  it('takes an https URL on a SIP-trunk number', () => {
    expect(checkWebhookUrl('https://example.com/in', 'hosted_sip', [])).toBe('https://example.com/in');
  });

  it.each([null, undefined, ''])('is off for %p, on any number', (url) => {
    expect(checkWebhookUrl(url, 'telco', [])).toBeNull();
    expect(checkWebhookUrl(url, 'hosted_sip', [])).toBeNull();
  });

  it('is not allowed on an imported number', () => {
    expect(() => checkWebhookUrl('https://example.com/in', 'telco', [])).toThrow(refused('not_allowed'));
  });

  it.each([
    'http://example.com/in',
    'ftp://example.com',
    'example.com',
    'https://10.0.0.1/in',
    'http://127.0.0.1/',
  ])('refuses %s', (url) => {
    expect(() => checkWebhookUrl(url, 'hosted_sip', [])).toThrow(refused('invalid_format'));
  });

  it('takes plain http where the operator allows the address (D8.5)', () => {
    expect(checkWebhookUrl('http://127.0.0.1:9/in', 'hosted_sip', ['127.0.0.0/8'])).toBe(
      'http://127.0.0.1:9/in',
    );
  });
});
