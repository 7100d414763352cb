import { describe, expect, it } from '@jest/globals';
import { createCatalogue } from './catalogue.ts';
import { ownVoices } from './own-voices.ts';
import { SPEECH_PROVIDER_NAMES } from './provider-voices.ts';

const builtin = ['builtin'] as const;

describe('the catalogue of voices [assistants.18]', () => {
  it('has the built-in voices by default, with aria as the default voice', () => {
    const catalogue = createCatalogue({
      voiceProviders: builtin,
      transcriberProviders: builtin,
      ownVoices: [],
    });
    expect(catalogue.voices).toHaveLength(14);
    expect(new Set(catalogue.voices.map(({ provider }) => provider))).toEqual(new Set(['builtin']));
    expect(catalogue.defaultVoiceId).toBe('aria');
  });

  it('has a voice of every provider, each id once, and languages that exist', () => {
    const { voices } = createCatalogue({
      voiceProviders: SPEECH_PROVIDER_NAMES,
      transcriberProviders: builtin,
      ownVoices: [],
    });
    expect([...new Set(voices.map(({ provider }) => provider))]).toEqual(SPEECH_PROVIDER_NAMES);
    expect(new Set(voices.map(({ voice_id }) => voice_id)).size).toBe(voices.length);
    for (const { language } of voices) expect(Intl.getCanonicalLocales(language)).toEqual([language]);
  });

  it("reads the operator's own voices from JSON", () => {
    expect(ownVoices.parse('[{"voice_id": "a", "provider": "openai"}]')).toEqual([
      { voice_id: 'a', voice_name: 'a', provider: 'openai', gender: 'neutral', language: 'mul' },
    ]);
    for (const wrong of [
      '{',
      '{}',
      '[{"voice_id": "a", "provider": "acme"}]',
      '[{"voice_id": "a", "provider": "openai", "language": "en_US"}]',
    ]) {
      expect(ownVoices.safeParse(wrong).success).toBe(false);
    }
  });
});
