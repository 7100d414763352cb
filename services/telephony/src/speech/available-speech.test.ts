import { expect, it } from '@jest/globals';
import type { SpeechProvider } from '@parley/speech/providers';
import { availableSpeech } from './available-speech.ts';

const builtin = { name: 'builtin', type: 'builtin' } as SpeechProvider;

it('embedded speech is English, while a text call has a voice in any language only by name [assistants.18]', async () => {
  const given = { providers: [builtin], liveModels: [], isInstalled: async () => true };
  expect(await availableSpeech({ ...given, hasAudio: true })).toEqual([
    { name: 'builtin', speaks: true, recognises: true, languages: ['en'] },
  ]);
  expect(await availableSpeech({ ...given, hasAudio: false })).toEqual([
    { name: 'builtin', speaks: true, recognises: true },
  ]);
});
