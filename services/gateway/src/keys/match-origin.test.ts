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

  it('a long header is refused at once, before any rate limit counts it', () => {
    const wildcards = Array.from({ length: 50 }, (_, index) => `https://*.shop${index}.example.org`);
    const started = performance.now();
    expect(isAllowedOrigin(`https://${'a.'.repeat(7_500)}!`, wildcards)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('an origin has at most 255 characters', () => {
    const long = `https://${'a.'.repeat(120)}example.org`;
    expect(isAllowedOrigin(long.slice(0, 8) + long.slice(12), ALLOWED)).toBe(true);
    expect(isAllowedOrigin(long, ALLOWED)).toBe(false);
  });
});
