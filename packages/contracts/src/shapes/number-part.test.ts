import { describe, expect, it } from '@jest/globals';
import { numberPart } from './number-part.ts';

describe('numberPart', () => {
  it.each([
    ['+49 (30) 12', '+493012'],
    ['0049 30', '+4930'],
    ['+', '+'],
    ['030 / 123', '30123'],
    ['555-01', '55501'],
    ['415.555\u00a00199', '4155550199'],
    ['0', undefined],
    ['', undefined],
    ['Ada', undefined],
    ['+49 Ada', undefined],
    ['4+9', undefined],
  ])('%j is %j', (text, part) => {
    expect(numberPart(text)).toBe(part);
  });
});
