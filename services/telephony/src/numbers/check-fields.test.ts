import { describe, expect, it } from '@jest/globals';
import { checkWebhookUrl } from './check-fields.ts';

const NONE = { allowCidrs: [] };

const refused = (code: string) =>
  expect.objectContaining({
    code: 'VALIDATION_FAILED',
    details: [expect.objectContaining({ path: 'inbound_webhook_url', code })],
  });

describe('checkWebhookUrl [numbers.7]', () => {
  it('accepts an https URL on a SIP number', () => {
    expect(checkWebhookUrl('https://example.com/in', 'hosted_sip', NONE)).toBe('https://example.com/in');
  });

  it.each([null, undefined, ''])('is disabled by %p, on any number', (url) => {
    expect(checkWebhookUrl(url, 'telco', NONE)).toBeNull();
    expect(checkWebhookUrl(url, 'hosted_sip', NONE)).toBeNull();
  });

  it('is not allowed on an imported number', () => {
    expect(() => checkWebhookUrl('https://example.com/in', 'telco', NONE)).toThrow(refused('not_allowed'));
  });

  it.each([
    'http://example.com/in',
    'ftp://example.com',
    'example.com',
    'https://10.0.0.1/in',
    'http://127.0.0.1/',
  ])('refuses %s', (url) => {
    expect(() => checkWebhookUrl(url, 'hosted_sip', NONE)).toThrow(refused('invalid_format'));
  });

  it('accepts plain http where the operator allows the address', () => {
    expect(checkWebhookUrl('http://127.0.0.1:9/in', 'hosted_sip', { allowCidrs: ['127.0.0.0/8'] })).toBe(
      'http://127.0.0.1:9/in',
    );
  });
});
