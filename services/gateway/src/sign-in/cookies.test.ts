import { expect, it } from '@jest/globals';
import type { Request } from 'express';
import { isCrossSite } from './cookies.ts';

it.each([
  [{}, 'example.com', false],
  [{ origin: 'https://example.com' }, 'example.com', false],
  [{ origin: 'https://other.example' }, 'example.com', true],
  [{ origin: 'null' }, 'example.com', true],
  [{ origin: 'null' }, undefined, true],
  [{ origin: 'https://example.com' }, undefined, true],
  [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 'example.com', false],
  [{ 'sec-fetch-site': 'cross-site' }, 'example.com', true],
])('%j to %s is of another site: %s', (headers: Record<string, string>, host, expected) => {
  const req = { get: (name: string) => headers[name], host } as Request;
  expect(isCrossSite(req)).toBe(expected);
});
