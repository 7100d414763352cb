import { afterEach, describe, expect, it } from '@jest/globals';
import { SpeechError, type SpeechToText, type TextToSpeech } from '../src/index.ts';
import {
  createSpeechProviders,
  missingAccounts,
  type SpeechProvider,
  speechProviderList,
  speechProvidersOf,
} from '../src/providers/index.ts';
import { accessOf, modelsOf } from '../src/providers/speech-config.ts';
import { createOpenAiDouble, type ProviderDouble } from '../src/testing/index.ts';

const embedded = {
  flite: { name: 'flite' } as TextToSpeech,
  pocketsphinx: { name: 'pocketsphinx' } as SpeechToText,
};
const namesOf = (choice?: { first: { name: string }; others: readonly { name: string }[] }) =>
  choice && [choice.first, ...choice.others].map(({ name }) => name);

describe('the configured providers', () => {
  let double: ProviderDouble | undefined;
  afterEach(() => double?.close());

  it('are, by default, the embedded ones that are installed', async () => {
    const list = speechProvidersOf(undefined, {});
    const providers = await createSpeechProviders(list, {}, { embedded: { flite: embedded.flite } });
    expect(namesOf(providers.speaking())).toEqual(['builtin']);
    expect(providers.hearing()).toBeUndefined();
  });

  it('are the server of OPENAI_BASE_URL or OPENAI_API_KEY before them, where one is set', async () => {
    const list = speechProvidersOf(undefined, { OPENAI_API_KEY: 'key' });
    const providers = await createSpeechProviders(list, { OPENAI_API_KEY: 'sk' }, { embedded });
    expect(namesOf(providers.speaking())).toEqual(['openai', 'builtin']);
    expect(namesOf(providers.hearing())).toEqual(['openai', 'builtin']);
  });

  it('stand in for one another in their order, each for what it is used', async () => {
    const list = speechProviderList.parse([
      { name: 'voices', type: 'cartesia', api_key: 'c', uses: ['voice'] },
      { name: 'more', type: 'elevenlabs', api_key: 'e', voices: [] },
      { name: 'ears', type: 'deepgram', uses: ['transcriber'] },
      { name: 'local', type: 'openai', base_url: 'http://127.0.0.1:8000/v1/' },
      { name: 'google', type: 'google', api_key: 'g' },
      {
        name: 'azure',
        type: 'azure',
        api_key: 'a',
        base_url: 'https://westeurope.api.cognitive.microsoft.com',
      },
      { name: 'program', type: 'flite' },
      { name: 'sphinx', type: 'pocketsphinx' },
    ]);
    const keys = { DEEPGRAM_API_KEY: 'd' };
    expect(missingAccounts(list, keys).size).toBe(0);
    const providers = await createSpeechProviders(list, keys, { embedded });
    expect(namesOf(providers.speaking())).toEqual(['voices', 'local', 'google', 'azure', 'program']);
    expect(namesOf(providers.speaking('local'))?.slice(0, 2)).toEqual(['local', 'voices']);
    expect(namesOf(providers.speaking('unknown'))?.[0]).toBe('voices');
    expect(namesOf(providers.hearing())).toEqual(['more', 'ears', 'local', 'google', 'azure', 'sphinx']);
  });

  it('are missing an account without key and base URL', () => {
    const list: SpeechProvider[] = [
      { name: 'a', type: 'elevenlabs' },
      { name: 'b', type: 'flite' },
      { name: 'c', type: 'azure', api_key: 'a' },
    ];
    expect([...missingAccounts(list, {}).keys()]).toEqual([0, 2]);
  });

  it('never send the OpenAI key to another server', () => {
    const env = { OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
    const openai = { name: 'o', type: 'openai' } as const;
    expect(accessOf({ ...openai, base_url: 'http://127.0.0.1:8000/v1' }, env)?.apiKey).toBeUndefined();
    expect(accessOf(openai, env)).toEqual({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-secret' });
    expect(accessOf(openai, { OPENAI_API_KEY: 'sk' })?.baseUrl).toBe('https://api.openai.com/v1');
  });

  it('have a model for each direction; a plain name belongs to the one that it is made for', () => {
    const of = (type: SpeechProvider['type'], model: SpeechProvider['model']) =>
      modelsOf({ name: 'x', type, model });
    expect(of('openai', 'Systran/faster-whisper-small')).toEqual({
      transcriber: 'Systran/faster-whisper-small',
    });
    expect(of('openai', 'speaches-ai/Kokoro-82M')).toEqual({ voice: 'speaches-ai/Kokoro-82M' });
    expect(of('elevenlabs', 'scribe_v2_realtime')).toEqual({ transcriber: 'scribe_v2_realtime' });
    expect(of('cartesia', 'ink-whisper')).toEqual({ transcriber: 'ink-whisper' });
    expect(of('cartesia', 'sonic-3')).toEqual({ voice: 'sonic-3' });
    expect(of('deepgram', 'nova-3')).toEqual({ transcriber: 'nova-3' });
    expect(of('openai', { voice: 'a', transcriber: 'b' })).toEqual({ voice: 'a', transcriber: 'b' });
    expect(of('openai', undefined)).toEqual({});
  });

  it('speak by the account, the model and the first voice that are given', async () => {
    double = await createOpenAiDouble();
    const list = speechProviderList.parse([
      {
        name: 'local',
        type: 'openai',
        base_url: double.url,
        api_key: double.key,
        model: 'kokoro',
        voices: ['af_heart'],
      },
    ]);
    const providers = await createSpeechProviders(list, {});
    async function* text(): AsyncGenerator<string> {
      yield 'Hello.';
    }
    const { signal } = new AbortController();
    for await (const _ of providers.speaking()?.first.speak(text(), { language: 'en-US', signal }) ?? []);
    expect(double.requests[0]?.body).toMatchObject({ voice: 'af_heart', input: 'Hello.', model: 'kokoro' });
  });

  it('fail under the name that the operator gave them, with the reason of the provider', async () => {
    double = await createOpenAiDouble();
    const failing: SpeechToText = {
      name: 'pocketsphinx',
      sampleRate: 16_000,
      open: ({ onError }) => {
        onError(new SpeechError('pocketsphinx', 'request', 'No model for the language xx'));
        return { push: () => {}, flush: async () => {}, close: () => {} };
      },
    };
    const list = speechProviderList.parse([
      { name: 'kokoro', type: 'openai', base_url: double.url, api_key: 'wrong', uses: ['voice'] },
      { name: 'local-ears', type: 'pocketsphinx' },
    ]);
    const providers = await createSpeechProviders(list, {}, { embedded: { pocketsphinx: failing } });
    async function* text(): AsyncGenerator<string> {
      yield 'Hello.';
    }
    const { signal } = new AbortController();
    const speak = async () => {
      for await (const _ of providers.speaking()?.first.speak(text(), { language: 'en-US', signal }) ?? []);
    };
    await expect(speak()).rejects.toMatchObject({
      provider: 'kokoro',
      kind: 'credentials',
      message: 'kokoro: HTTP 401',
    });
    const errors: SpeechError[] = [];
    const onError = (error: SpeechError) => void errors.push(error);
    providers.hearing()?.first.open({ language: 'xx', onResult: () => {}, onError });
    expect(errors).toMatchObject([
      { provider: 'local-ears', kind: 'request', message: 'local-ears: No model for the language xx' },
    ]);
  });

  it('reject with the reason of the signal, as before', async () => {
    double = await createOpenAiDouble();
    double.behave({ kind: 'hang', times: 1 });
    const list = speechProviderList.parse([
      { name: 'kokoro', type: 'openai', base_url: double.url, api_key: double.key },
    ]);
    const providers = await createSpeechProviders(list, {});
    async function* text(): AsyncGenerator<string> {
      yield 'Hello.';
    }
    const ending = new AbortController();
    const reason = new Error('over');
    setTimeout(() => ending.abort(reason), 50);
    const options = { language: 'en-US', signal: ending.signal };
    const speak = async () => {
      for await (const _ of providers.speaking()?.first.speak(text(), options) ?? []);
    };
    await expect(speak()).rejects.toBe(reason);
  });
});
