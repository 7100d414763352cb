import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/index.ts';
import { checkJson } from './check-text.ts';

function pathIn(source: string): string | undefined {
  try {
    checkJson(JSON.parse(source), source);
    return undefined;
  } catch (err) {
    return err instanceof AppError ? err.details?.[0]?.path : String(err);
  }
}

describe('checkJson', () => {
  it.each([
    ['{"a":{"b":[0,"x","\\ud800"]}}', 'a.b.2'],
    ['{"a":["\\ud83d\\ude00",{"c":{},"d":"\\u0000"}],"e":1}', 'a.1.d'],
    ['{"a":{"b\\udc00":"x"}}', 'a'],
    ['{"\\u0000":"x"}', ''],
    ['"\\ud800"', ''],
    ['{"a":"\\ud83d\\ude00","b":"\\\\u0000"}', undefined],
    ['{"__proto__":{"a":"\\u0000"}}', '__proto__.a'],
  ])('finds text that cannot be stored in %s', (source, path) => {
    expect(pathIn(source)).toBe(path);
  });
});
