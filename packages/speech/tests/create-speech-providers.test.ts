import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { TextToSpeech } from '../src/index.ts';
import {
  createSpeechProviders,
  missingAccounts,
  speechAccountVariables,
  speechConfigOf,
  speechProviderVariables,
} from '../src/providers/index.ts';
import { createOpenAiDouble, type ProviderDouble } from '../src/testing/index.ts';

const schema = z.object({
  ...speechProviderVariables,
  ...speechAccountVariables,
  OPENAI_BASE_URL: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
});
const configOf = (env: Record<string, string>) => speechConfigOf(schema.parse(env));
const embedded = { speaking: { name: 'flite' } as TextToSpeech };

describe('the providers that the operator configures', () => {
  let double: ProviderDouble | undefined;
  afterEach(() => double?.close());

  it('are, by default, the embedded ones that are installed', async () => {
    const providers = await createSpeechProviders(configOf({}), embedded);
    expect(providers.speaking()?.first.name).toBe('flite');
    expect(providers.hearing()).toBeUndefined();
  });

  it('stand in for one another in their order', async () => {
    const env = {
      VOICE_PROVIDERS: 'cartesia, elevenlabs, builtin',
      TRANSCRIBER_PROVIDERS: 'deepgram,openai',
      CARTESIA_API_KEY: 'c',
      ELEVENLABS_API_KEY: 'e',
      DEEPGRAM_API_KEY: 'd',
      OPENAI_SPEECH_BASE_URL: 'http://127.0.0.1:8000/v1/',
    };
    const config = configOf(env);
    expect(missingAccounts(config)).toEqual([]);
    expect(config.accounts.openai).toMatchObject({ baseUrl: 'http://127.0.0.1:8000/v1' });
    const providers = await createSpeechProviders(config, embedded);
    const namesOf = (choice?: { first: { name: string }; others: readonly { name: string }[] }) =>
      choice && [choice.first, ...choice.others].map(({ name }) => name);
    expect(namesOf(providers.speaking())).toEqual(['cartesia', 'elevenlabs', 'flite']);
    expect(namesOf(providers.speaking('elevenlabs'))).toEqual(['elevenlabs', 'cartesia', 'flite']);
    expect(namesOf(providers.speaking('unknown'))).toEqual(['cartesia', 'elevenlabs', 'flite']);
    expect(namesOf(providers.hearing())).toEqual(['deepgram', 'openai']);
  });

  it('are missing an account if they are named without key and base URL', () => {
    const env = {
      VOICE_PROVIDERS: 'elevenlabs,builtin',
      TRANSCRIBER_PROVIDERS: 'deepgram',
      DEEPGRAM_API_KEY: 'd',
    };
    expect(missingAccounts(configOf(env))).toEqual(['elevenlabs']);
    expect(() => configOf({ VOICE_PROVIDERS: 'nobody' })).toThrow();
  });

  it("never send the key of OpenAI to another server's address", () => {
    const env = { OPENAI_API_KEY: 'sk-secret', OPENAI_SPEECH_BASE_URL: 'http://127.0.0.1:8000/v1' };
    expect(configOf(env).accounts.openai?.apiKey).toBeUndefined();
    expect(configOf({ OPENAI_API_KEY: 'sk-secret' }).accounts.openai).toMatchObject({
      apiKey: 'sk-secret',
      baseUrl: 'https://api.openai.com/v1',
    });
  });

  it('speak by the account that is given', async () => {
    double = await createOpenAiDouble();
    const env = {
      VOICE_PROVIDERS: 'openai',
      OPENAI_SPEECH_BASE_URL: double.url,
      OPENAI_SPEECH_API_KEY: double.key,
    };
    const providers = await createSpeechProviders(configOf({ ...env, OPENAI_TTS_VOICE: 'af_heart' }));
    async function* text(): AsyncGenerator<string> {
      yield 'Hello.';
    }
    const { signal } = new AbortController();
    for await (const _ of providers.speaking()?.first.speak(text(), { language: 'en-US', signal }) ?? []);
    expect(double.requests[0]?.body).toMatchObject({ voice: 'af_heart', input: 'Hello.' });
  });
});
