import { expect, it } from '@jest/globals';
import { nextHop } from './next-hop.ts';
import { parseTarget, type Target } from './parse-target.ts';

const targetOf = (url: string): Target => {
  const target = parseTarget(url);
  if (typeof target === 'string') throw new Error(target);
  return target;
};
const from = targetOf('https://example.com/a/b?c=d');
const step = (status: number, location?: string, mayFollow = true) =>
  nextHop({ status, headers: location === undefined ? {} : { location } }, from, mayFollow);

it.each([200, 204, 226, 300, 304, 305, 306, 309, 400, 404, 429, 500, 503])(
  '%i is a final response',
  (status) => {
    expect(step(status, 'https://example.com/')).toEqual({ step: 'respond' });
  },
);

it.each([301, 302, 303])('%i is never followed', (status) => {
  expect(step(status, 'https://example.com/').step).toBe('reject');
  expect(step(status).step).toBe('reject');
});

it.each([307, 308])('%i is followed once', (status) => {
  const ends = [
    ['https://other.example/x?y', 'https://other.example/x?y'],
    ['/x', 'https://example.com/x'],
    ['x', 'https://example.com/a/x'],
    ['?z', 'https://example.com/a/b?z'],
    ['//10.0.0.1/', 'https://10.0.0.1/'],
    ['http://example.com/#part', 'http://example.com/'],
  ] as const;
  for (const [location, href] of ends) {
    const next = step(status, location);
    expect(next.step === 'follow' ? next.target.url.href : next).toBe(href);
  }
  expect(step(status, '/x', false).step).toBe('reject');
});

it.each([
  '',
  'ftp://example.com/',
  'https://',
  'https://user:pw@example.com/',
  'javascript:1',
  `/${'x'.repeat(2048)}`,
])('a 307 to %p is not usable', (location) => {
  expect(step(307, location).step).toBe('reject');
});
