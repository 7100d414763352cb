import { expect, it } from '@jest/globals';
import { readWavHeader, wavHeader } from './wav.ts';

it('a WAV header contains the format, and an unknown length until the file is complete', () => {
  const format = { sampleRate: 8_000, channels: 2 };
  expect(readWavHeader(wavHeader(format))).toEqual(format);
  expect(wavHeader(format).readUInt32LE(40)).toBe(0xffff_ffff);
  const complete = wavHeader(format, 32_000);
  expect([complete.readUInt32LE(4), complete.readUInt32LE(40)]).toEqual([32_036, 32_000]);
  expect(() => readWavHeader(new Uint8Array(44))).toThrow('Not a recording');
  expect(() => readWavHeader(new Uint8Array(3))).toThrow('Not a recording');
});
