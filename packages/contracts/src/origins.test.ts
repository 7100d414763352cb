import { describe, expect, it } from '@jest/globals';
import { normalizeOrigin } from './origins.ts';

describe('normalizeOrigin [trust.7]', () => {
  it.each([
    ['https://shop.example.com', 'https://shop.example.com'],
    ['HTTPS://Shop.Example.com:443/', 'https://shop.example.com'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://*.example.com', 'https://*.example.com'],
    ['https://*.example.com:8443', 'https://*.example.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s is %s', (text, origin) => expect(normalizeOrigin(text)).toBe(origin));

  it.each([
    '',
    '*',
    'null',
    'example.com',
    'ftp://example.com',
    'https://',
    'https://*',
    'https://*.com',
    'https://*.*.example.com',
    'https://shop*.example.com',
    'https://*.127.0.0.1',
    'https://a@example.com',
    'https://example.com/path',
    'https://example.com?x',
    'https://example.com\\evil',
    'https://exa mple.com',
  ])('rejects %j', (text) => expect(normalizeOrigin(text)).toBeUndefined());
});
