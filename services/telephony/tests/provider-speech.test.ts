import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { readCallConfig } from '../src/assistants/call-config.ts';
import { createFindSpeech } from '../src/speech/provider-speech.ts';

describe('the voice of a call [assistants.20]', () => {
  const account = { baseUrl: 'http://127.0.0.1:1' };
  const find = createFindSpeech(
    {
      speaking: ['openai', 'deepgram'],
      hearing: ['deepgram'],
      accounts: { openai: account, deepgram: account },
    },
    createLogger({ service: 'telephony', level: 'silent' }),
  );
  const voiceOf = async (voice: Record<string, unknown>) => {
    const { tts, voice: chosen } = await (await find)(readCallConfig({ voice: { speed: 1, ...voice } }));
    return [tts.name, chosen?.voiceId];
  };

  it('is the one that the assistant names at a configured provider', async () => {
    expect(await voiceOf({ provider: 'deepgram', voiceId: 'aura-2-apollo-en' })).toEqual([
      'deepgram',
      'aura-2-apollo-en',
    ]);
    expect(await voiceOf({ provider: 'openai', voiceId: 'nova' })).toEqual(['openai', 'nova']);
  });

  it("is the first provider's default one, if it is of a provider that isn't configured", async () => {
    expect(await voiceOf({ provider: 'cartesia', voiceId: 'f786b574' })).toEqual(['openai', undefined]);
    expect(await voiceOf({ voiceId: 'aria' })).toEqual(['openai', undefined]);
  });
});
