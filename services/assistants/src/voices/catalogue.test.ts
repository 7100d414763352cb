import { describe, expect, it } from '@jest/globals';
import { type SpeechProvider, speechProviderList, speechProvidersOf } from '@parley/speech/providers';
import { createCatalogue } from './catalogue.ts';

const BUILTIN = speechProvidersOf(undefined, {});
const TYPES = ['openai', 'deepgram', 'elevenlabs', 'cartesia', 'google', 'azure', 'flite'] as const;

describe('the catalogue of voices [assistants.18]', () => {
  it('has the built-in voices by default, with aria as the default voice', () => {
    const catalogue = createCatalogue(BUILTIN);
    expect(catalogue.voices).toHaveLength(14);
    expect(new Set(catalogue.voices.map(({ provider }) => provider))).toEqual(new Set(['builtin']));
    expect(catalogue.defaultVoiceId).toBe('aria');
  });

  it('begins with those of the server of OPENAI_BASE_URL, where one is configured [running.12]', () => {
    const { voiceProviders, transcriberProviders, defaultVoiceId } = createCatalogue(
      speechProvidersOf(undefined, { OPENAI_API_KEY: 'key' }),
    );
    expect([voiceProviders, transcriberProviders, defaultVoiceId]).toEqual([
      ['openai', 'builtin'],
      ['openai', 'builtin'],
      'alloy',
    ]);
  });

  it('has voices of every type, under the name of the provider, and languages that exist', () => {
    const list: SpeechProvider[] = TYPES.map((type) => ({ name: `our-${type}`, type }));
    const { voices } = createCatalogue(list);
    expect([...new Set(voices.map(({ provider }) => provider))]).toEqual(list.map(({ name }) => name));
    expect(new Set(voices.map(({ voice_id }) => voice_id)).size).toBe(voices.length);
    for (const { language } of voices) expect(Intl.getCanonicalLocales(language)).toEqual([language]);
  });

  it("has the operator's own voices instead of the standard ones", () => {
    const preview_url = 'https://example.com/nova.mp3';
    const [provider] = speechProviderList.parse([
      {
        name: 'local',
        type: 'openai',
        voices: ['af_heart', { voice_id: 'nova', language: 'de', preview_url }],
      },
    ]);
    const { voices } = createCatalogue(provider ? [provider] : []);
    const unknown = { gender: 'neutral', language: 'mul', preview_url: null };
    expect(voices).toEqual([
      { voice_id: 'af_heart', voice_name: 'af_heart', provider: 'local', ...unknown },
      {
        voice_id: 'nova',
        voice_name: 'Nova',
        provider: 'local',
        gender: 'female',
        language: 'de',
        preview_url,
      },
    ]);
  });

  it('has no voices of a provider that only recognizes', () => {
    const list: SpeechProvider[] = [
      { name: 'ears', type: 'deepgram', uses: ['transcriber'] },
      { name: 'sphinx', type: 'pocketsphinx' },
      { name: 'voice', type: 'cartesia', uses: ['voice'] },
    ];
    const { voiceProviders, transcriberProviders } = createCatalogue(list);
    expect([voiceProviders, transcriberProviders]).toEqual([['voice'], ['ears', 'sphinx']]);
    expect(() => createCatalogue(list.slice(0, 2))).toThrow('SPEECH_PROVIDERS');
  });
});
