import { parse } from 'node:querystring';
import { describe, expect, it } from '@jest/globals';
import { defineEndpoint, queryInt } from '@parley/contracts';
import { z } from 'zod';
import type { AppError } from '../errors/index.ts';
import { readQuery } from './read-input.ts';

const endpoint = defineEndpoint({
  id: 'listThings',
  service: 'campaigns',
  access: 'private',
  method: 'GET',
  path: '/v1/thing',
  query: z.object({
    limit: queryInt(1, 100, 50),
    offset: queryInt(0, 2_147_483_647, 0),
    search: z.string().optional(),
  }),
  status: 200,
  envelope: 'list',
  errors: [],
  tag: 'Things',
  summary: 'Things',
});

/** Parses a query like Express. */
const read = (query: string) => readQuery(endpoint, parse(query.slice(1)));

function refusal(query: string): unknown {
  try {
    return read(query);
  } catch (err) {
    return (err as AppError).details;
  }
}

describe('readQuery', () => {
  it('reads whole numbers within their range, and applies defaults', () => {
    expect(read('')).toEqual({ limit: 50, offset: 0 });
    expect(read('?limit=100&offset=0002147483647&other=1')).toEqual({ limit: 100, offset: 2_147_483_647 });
  });

  it.each([
    ['?limit=1&limit=2', 'limit', 'not_allowed', 'limit is given more than once'],
    ['?search=a&search=b', 'search', 'not_allowed', 'search is given more than once'],
    ['?offset=99999999999', 'offset', 'too_big', 'offset must be a whole number from 0 to 2147483647'],
    [`?offset=${'9'.repeat(400)}`, 'offset', 'too_big', 'offset must be a whole number from 0 to 2147483647'],
    ['?limit=0', 'limit', 'too_small', 'limit must be a whole number from 1 to 100'],
    ['?limit=1.5', 'limit', 'invalid_format', 'limit must be a whole number'],
    ['?limit=-1', 'limit', 'invalid_format', 'limit must be a whole number'],
    ['?limit=', 'limit', 'invalid_format', 'limit must be a whole number'],
  ])('reports %s', (query, path, code, message) => {
    expect(refusal(query)).toEqual([{ path, code, message }]);
  });
});
