import { describe, expect, it } from '@jest/globals';
import { isAbout, isMask, maskDigits, mentionOf, numbersIn } from './mention.ts';

const digits = new Set(['12025550010', '4930123']);

describe('mentions of phone numbers', () => {
  it.each([
    ['"+12025550010" 12025550010', '"+10000000000" 10000000000'],
    ['a12025550010b', 'a10000000000b'],
    ['912025550010 120255500109', '912025550010 120255500109'],
    ['+4930123, a4930123', '+1000000, a4930123'],
    ['{"n":[12025550010]}', '{"n":[10000000000]}'],
    ['0012025550010, 004930123', '10000000000, 1000000'],
    ['00012025550010 10012025550010 a004930123', '00012025550010 10012025550010 a004930123'],
    // Escapes of JSON, also of JSON inside of JSON, and of URLs.
    [
      String.raw`"\n4930123 \t4930123 \\r4930123 \\4930123"`,
      String.raw`"\n1000000 \t1000000 \\r1000000 \\1000000"`,
    ],
    [String.raw`"\u000112025550010 \u00104930123"`, String.raw`"\u000110000000000 \u00101000000"`],
    ['%2B4930123 %2012025550010 %3d004930123', '%2B1000000 %2010000000000 %3d1000000'],
    ['n4930123 %4930123 u00104930123', 'n4930123 %1000000 u00104930123'],
  ])('are masked in %s as in the tables', (text, expected) => {
    expect(maskDigits(text, digits)).toBe(expected);
    const inTables = [...digits].map(mentionOf);
    expect(
      inTables.reduce((all, { pattern, mask }) => all.replace(new RegExp(pattern, 'g'), mask), text),
    ).toBe(expected);
  });

  it('are each looked up once', () => {
    expect(numbersIn('12025550010 +12025550010 0012025550010 123 99999999999999999')).toEqual([
      '12025550010',
    ]);
    expect(numbersIn('001234567 00123456789012345')).toEqual(['1234567', '123456789012345']);
    expect(numbersIn('')).toEqual([]);
  });

  it('recognize a mask and the subject of a message', () => {
    expect(['+10000000000', '+12025550010'].map(isMask)).toEqual([true, false]);
    expect(isAbout('{"data":{"to_number":"+12025550010"}}', digits)).toBe(true);
    expect(isAbout('{"data":{"summary":"+12025550010"}}', digits)).toBe(false);
  });
});
