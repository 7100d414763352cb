import { expect, it } from '@jest/globals';
import { decodeBody } from './decode-body.ts';

it('omits a character that was cut off at the end, and only there', () => {
  const bytes = Buffer.from('a🎧');
  expect(decodeBody(bytes, { isWhole: true })).toBe('a🎧');
  for (const cut of [2, 3, 4]) expect(decodeBody(bytes.subarray(0, cut), { isWhole: false })).toBe('a');
  expect(decodeBody(bytes.subarray(0, 3), { isWhole: true })).toBe('a\uFFFD');
});

it('replaces invalid bytes', () => {
  expect(decodeBody(Buffer.from([0x61, 0, 0x62, 0xff, 0x63]), { isWhole: true })).toBe('a\uFFFDb\uFFFDc');
});
