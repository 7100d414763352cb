import { expect, it, jest } from '@jest/globals';
import { wavHeader } from '@parley/media';
import type { SpeechToText } from '@parley/speech';

/** Node has it; the types of this project don't. */
const { WebAssembly: webAssembly } = globalThis as unknown as {
  WebAssembly: { instantiate: () => Promise<never> };
};
/** A module of its own: what ran before in this process may have loaded the detection. */
const MODULE = '../src/after-call/transcriptions/transcribe-recording.ts?own';
const { transcribeRecording } = (await import(
  MODULE
)) as typeof import('../src/after-call/transcriptions/transcribe-recording.ts');

const RATE = 8_000;
const SILENCE_BYTES = RATE * 4;
const wav = Buffer.concat([
  wavHeader({ sampleRate: RATE, channels: 2 }, SILENCE_BYTES),
  Buffer.alloc(SILENCE_BYTES),
]);
const stt: SpeechToText = {
  name: 'none',
  sampleRate: RATE,
  open: () => {
    throw new Error('there is no speech');
  },
};
const transcribe = () =>
  transcribeRecording('recording.wav', {
    recordings: { read: async (_, start, maxBytes) => wav.subarray(start, start + maxBytes) },
    findStt: async () => stt,
    language: 'en-US',
    phrases: [],
    signal: new AbortController().signal,
  });

it('a recording is transcribed after the detection of voices could not be loaded for an earlier one [calls.22]', async () => {
  const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  const instantiate = jest.spyOn(webAssembly, 'instantiate');
  instantiate.mockRejectedValueOnce(new Error('no memory at present'));
  await expect(transcribe()).rejects.toThrow('no memory at present');
  expect(await transcribe()).toEqual([]);
  instantiate.mockRestore();
  printed.mockRestore();
});
