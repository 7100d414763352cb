import { expect, it } from '@jest/globals';
import { formatMs } from './format-ms.ts';

it.each([
  [85.4, '85 ms'],
  [4_230, '4.2 s'],
  [125_000, '2 min 5 s'],
])('formatMs(%d) is %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
