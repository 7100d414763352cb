import { describe, expect, it } from '@jest/globals';
import { documentedConfig } from '@parley/contracts';
import { speechProvidersOf } from '@parley/speech/providers';
import type { JsonObject } from '../../json-object.ts';
import { createCatalogue } from '../../voices/catalogue.ts';
import { CONFIG_DEFAULTS, completeConfig } from './complete-config.ts';
import { createConfigSchema } from './config-schema.ts';
import { NATIVE_DEFAULTS, nativeEntries } from './native-entries.ts';

const catalogue = createCatalogue(speechProvidersOf(undefined, {}));
const rules = createConfigSchema({ allowCidrs: [], modelProviders: ['builtin', 'gemini'], catalogue });

describe('the configuration in the API reference', () => {
  it('has the keys and defaults of the completed configuration', () => {
    const { systemPrompt: _, ...defaults } = completeConfig({});
    expect(documentedConfig.parse({})).toEqual({ ...defaults, nativeTools: NATIVE_DEFAULTS });
    const keysOf = (shape: object) => Object.keys(shape).sort();
    expect(keysOf(documentedConfig.shape)).toEqual(keysOf({ ...CONFIG_DEFAULTS, nativeTools: {} }));
    const { settings } = documentedConfig.shape;
    expect(keysOf(settings.unwrap().shape)).toEqual(keysOf(CONFIG_DEFAULTS.settings));
    expect(catalogue.voices.map(({ voice_id }) => voice_id)).toContain(
      documentedConfig.parse({}).voice.voiceId,
    );
  });

  // On the bounds, and beyond them.
  it.each<[string, unknown[], unknown[]]>([
    ['systemPrompt', ['', 'a'.repeat(100_000)], ['a'.repeat(100_001), 7]],
    ['model.provider', ['builtin', 'gemini'], [7]],
    ['language', ['en-US', `en-x${'-abcdefg'.repeat(12)}`], [`en-x${'-abcdefg'.repeat(12)}h`, 7]],
    ['firstMessage', ['', 'a'.repeat(10_000)], [7]],
    ['model.name', ['x', 'x'.repeat(255)], ['', 'x'.repeat(256)]],
    ['model.temperature', [0, 2], [-0.1, 2.1]],
    ['voice.speed', [0.5, 2], [0.4, 2.1]],
    ['transcriber.model', ['x'], [7, 'x'.repeat(256)]],
    ['transcriber.keywords', [[], ['Parley']], [[''], [7], 'Parley', Array(101).fill('x')]],
    ['settings.endpointing.silenceMs', [200, 5000], [199, 5001, 700.5]],
    ['settings.interruption.enabled', [false], ['no']],
    ['settings.interruption.minSpeechMs', [0, 5000], [-1, 5001]],
    ['settings.maxCallDuration', [10, 7200], [9, 7201, 60.5]],
    ['settings.silenceTimeout', [5, 600], [4, 601]],
    ['settings.ringTimeout', [5, 120], [4, 121]],
    ['settings.recording.enabled', [true], ['yes']],
    ['settings.voicemail.action', ['hangup'], ['ignore']],
    ['settings.voicemail.message', ['', 'a'.repeat(10_000)], [7]],
    ['settings.postCallAnalysis.fields', [[], [{ type: 'number', name: 'n', description: '' }]], [[{}], {}]],
    ['toolIds', [[]], [['x'], 'x']],
    ['fileSearchStoreIds', [['anything']], [[7]]],
  ])('has the rules of %s', (path, good, bad) => {
    const judged = (value: unknown) => {
      const document = at(path.split('.'), value);
      return [
        documentedConfig.safeParse(document).success,
        rules.safeParse(completeConfig(document)).success,
      ];
    };
    for (const value of good) expect(judged(value)).toEqual([true, true]);
    for (const value of bad) expect(judged(value)).toEqual([false, false]);
  });

  it('has the settings of the native tools', () => {
    const { nativeTools } = documentedConfig.parse({});
    expect(nativeEntries.parse(nativeTools)).toEqual(nativeTools);
    const withText = (smsStaticMessage: string) => {
      const send_sms = { ...nativeTools.send_sms, smsStaticMessage };
      return [documentedConfig, nativeEntries].map(
        (schema, i) =>
          schema.safeParse(i === 0 ? { nativeTools: { send_sms } } : { ...nativeTools, send_sms }).success,
      );
    };
    expect(withText('a'.repeat(1_600))).toEqual([true, true]);
    expect(withText('a'.repeat(1_601))).toEqual([false, false]);
  });
});

function at(path: string[], value: unknown): JsonObject {
  const [key = '', ...rest] = path;
  return { [key]: rest.length > 0 ? at(rest, value) : value };
}
