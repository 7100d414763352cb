import { describe, expect, it } from '@jest/globals';
import { readLegacyQuery } from './legacy-calls.ts';

describe('readLegacyQuery [general.10]', () => {
  it('defaults to 50 calls of any kind', () => {
    expect(readLegacyQuery({})).toEqual({ limit: 50, offset: 0, status: null, callType: null });
  });

  it.each([
    ['0', 1],
    ['-3', 1],
    ['101', 100],
    ['1e9', 100],
    ['Infinity', 100],
    ['12.7', 12],
    ['7', 7],
    ['ten', 50],
    ['', 50],
    [' ', 50],
    ['NaN', 50],
  ])('clamps limit=%s to %i', (limit, expected) => {
    expect(readLegacyQuery({ limit }).limit).toBe(expected);
  });

  it.each([
    ['-1', 0],
    ['25', 25],
    ['99999999999', 2_147_483_647],
    ['x', 0],
  ])('clamps offset=%s to %i', (offset, expected) => {
    expect(readLegacyQuery({ offset }).offset).toBe(expected);
  });

  it('accepts existing statuses and types and ignores others', () => {
    expect(readLegacyQuery({ status: 'in-progress', callType: 'web' })).toMatchObject({
      status: 'in-progress',
      callType: 'web',
    });
    expect(readLegacyQuery({ status: 'done', callType: 'fax' })).toMatchObject({
      status: null,
      callType: null,
    });
  });
});
