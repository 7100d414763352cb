import { describe, expect, it } from '@jest/globals';
import { isAllowedOrigin } from './match-origin.ts';

const ALLOWED = [
  'https://shop.example.com',
  'http://localhost:3000',
  'https://*.example.org',
  'https://*.example.net:8443',
];

describe('isAllowedOrigin [trust.7]', () => {
  it.each([
    'https://shop.example.com',
    'http://localhost:3000',
    'https://a.example.org',
    'https://a.b.example.org',
    'https://a.example.net:8443',
  ])('%s may use the key', (origin) => expect(isAllowedOrigin(origin, ALLOWED)).toBe(true));

  it.each([
    undefined,
    '',
    'null',
    'http://shop.example.com',
    'https://shop.example.com:8443',
    'https://shop.example.com.evil.test',
    'https://evil-shop.example.com',
    'https://sub.shop.example.com',
    'http://localhost:3001',
    'http://localhost',
    'https://example.org',
    'https://.example.org',
    'https://evilexample.org',
    'http://a.example.org',
    'https://a.example.org:444',
    'https://a.example.org.evil.test',
    'https://evil.test/.example.org',
    'https://evil.test#.example.org',
    'https://evil.test:443@a.example.org',
    'https://a..example.org',
    'https://a.example.net',
    'https://*.example.org',
    'https://shop.example.com, https://evil.test',
  ])('%s may not', (origin) => expect(isAllowedOrigin(origin, ALLOWED)).toBe(false));
});
