import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/index.ts';
import { checkJsonShape, MAX_LEVELS, MAX_VALUES } from './check-json-shape.ts';

function findingIn(text: string): unknown {
  try {
    checkJsonShape(Buffer.from(text));
    return undefined;
  } catch (err) {
    return err instanceof AppError ? err.details?.[0] : err;
  }
}

const lists = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);
const zeros = (count: number): string => Array(count).fill('0').join(' , ');

describe('checkJsonShape', () => {
  it('accepts nesting up to the limit, and reports the place of deeper nesting', () => {
    expect(findingIn(`{"a":${lists(MAX_LEVELS - 1)}}`)).toBeUndefined();
    expect(findingIn(`{"x":[0,{"y":1}],"a":${lists(MAX_LEVELS)}}`)).toMatchObject({
      path: 'a.0.0',
      code: 'too_big',
      message: 'a.0.0 is nested deeper than 64 levels',
    });
    const inSecond = `{"config":{"k":{},"a\\u0062":[{}, ${lists(MAX_LEVELS)}]}}`;
    expect(findingIn(inSecond)).toMatchObject({ path: 'config.ab.1' });
    expect(findingIn(lists(500_000))).toMatchObject({ code: 'too_big' });
    expect(findingIn('{"":'.repeat(200_000))).toMatchObject({ code: 'too_big' });
  });

  it('counts JSON values, whatever strings contain [trust.2]', () => {
    // The body and the list count as values too.
    expect(findingIn(`{"a":[${zeros(MAX_VALUES - 2)}]}`)).toBeUndefined();
    expect(findingIn(`{"a":[${zeros(MAX_VALUES - 1)}]}`)).toMatchObject({
      path: '',
      code: 'too_big',
      message: 'The body must not hold more than 50,000 values',
    });
    const empties = (count: number): string => Array(count).fill('{ }').join(',');
    expect(findingIn(`[${empties(MAX_VALUES - 1)}]`)).toBeUndefined();
    expect(findingIn(`[${empties(MAX_VALUES)}]`)).toMatchObject({ code: 'too_big' });
    const text = JSON.stringify('[{,"\\'.repeat(60_000));
    expect(findingIn(`{"a":${text},"b":[${text}]}`)).toBeUndefined();
  });

  it('leaves invalid JSON to the parser', () => {
    for (const text of ['', '"', '"\\', '}', ']]]', ',', '{"a', '[1', 'nul', '\ufeff{}'])
      expect(findingIn(text)).toBeUndefined();
  });
});
