import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parley/kit/errors';
import { speechProvidersOf } from '@parley/speech/providers';
import fc from 'fast-check';
import type { JsonObject } from '../../json-object.ts';
import { createCatalogue } from '../../voices/catalogue.ts';
import { CONFIG_DEFAULTS, completeConfig } from './complete-config.ts';
import { createConfigSchema } from './config-schema.ts';
import { mergeNativeEntries, NATIVE_DEFAULTS } from './native-entries.ts';
import { prepareConfig } from './prepare-config.ts';

const catalogue = createCatalogue(speechProvidersOf(undefined, {}));

const checks = {
  schema: createConfigSchema({ allowCidrs: [], modelProviders: ['builtin'], catalogue }),
  defaultVoiceId: catalogue.defaultVoiceId,
  knowledgeBaseIds: new Set(['0191d3f0-0000-7000-8000-000000000001']),
};

const prepare = (document: JsonObject, nativeTools?: unknown): JsonObject =>
  prepareConfig({ document, entries: mergeNativeEntries(NATIVE_DEFAULTS, nativeTools) }, checks).withTools(
    [],
  );

/** What is found as `path code`; nothing for a configuration that may be stored. */
function findingsOf(document: JsonObject): string[] {
  try {
    prepare(document);
    return [];
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    for (const { path, message } of err.details ?? []) expect(message).toContain(path);
    return (err.details ?? []).map(({ path, code }) => `${path} ${code}`);
  }
}

const field = { type: 'string', name: 'interest', description: 'What they want' };

describe('the rules of the configuration [assistants.10]', () => {
  it('a long language is refused at once', () => {
    const started = performance.now();
    const attributes = Array.from({ length: 40_000 }, (_, index) => `-a${90_000 - index}`).join('');
    expect(findingsOf({ language: `en-u${attributes}` })).toEqual(['config.language too_big']);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each<[string, JsonObject]>([
    ['config.systemPrompt too_big', { systemPrompt: 'a'.repeat(100_001) }],
    ['config.systemPrompt invalid_type', { systemPrompt: 7 }],
    ['config.firstMessage invalid_type', { firstMessage: ['Hi'] }],
    ['config.language invalid_format', { language: 'en_US' }],
    ['config.language invalid_format', { language: '' }],
    ['config.language too_big', { language: `en-x${'-abcdefg'.repeat(13)}` }],
    ['config.transcriber.language too_big', { transcriber: { language: `en-x${'-abcdefg'.repeat(13)}` } }],
    ['config.model invalid_type', { model: 'gpt' }],
    ['config.model.provider not_allowed', { model: { provider: 'other' } }],
    ['config.model.name too_small', { model: { name: '' } }],
    ['config.model.temperature too_big', { model: { temperature: 2.1 } }],
    ['config.model.temperature too_small', { model: { temperature: -0.1 } }],
    ['config.voice invalid_type', { voice: [] }],
    ['config.voice.voiceId not_allowed', { voice: { voiceId: 'ARIA' } }],
    ['config.voice.speed too_small', { voice: { speed: 0.4 } }],
    ['config.voice.speed too_big', { voice: { speed: 2.1 } }],
    ['config.voice.provider not_allowed', { voice: { provider: 'deepgram' } }],
    ['config.transcriber.provider not_allowed', { transcriber: { provider: 'deepgram' } }],
    ['config.transcriber invalid_type', { transcriber: 'deepgram' }],
    ['config.settings invalid_type', { settings: false }],
    ['config.settings.webhookUrl invalid_type', { settings: { webhookUrl: 7 } }],
    ['config.settings.maxCallDuration too_small', { settings: { maxCallDuration: 9 } }],
    ['config.settings.maxCallDuration too_big', { settings: { maxCallDuration: 7201 } }],
    ['config.settings.maxCallDuration invalid_type', { settings: { maxCallDuration: 60.5 } }],
    ['config.settings.maxCallDuration invalid_type', { settings: { maxCallDuration: '60' } }],
    ['config.settings.silenceTimeout too_small', { settings: { silenceTimeout: 4 } }],
    ['config.settings.silenceTimeout too_big', { settings: { silenceTimeout: 601 } }],
    ['config.settings.ringTimeout too_small', { settings: { ringTimeout: 4 } }],
    ['config.settings.ringTimeout too_big', { settings: { ringTimeout: 121 } }],
    ['config.settings.recording.enabled invalid_type', { settings: { recording: { enabled: 1 } } }],
    ['config.settings.voicemail.action not_allowed', { settings: { voicemail: { action: 'beep' } } }],
    ['config.settings.voicemail.message required', { settings: { voicemail: { action: 'leave_message' } } }],
    [
      'config.settings.postCallAnalysis.enabled invalid_type',
      { settings: { postCallAnalysis: { enabled: 'no' } } },
    ],
    ['config.toolIds invalid_type', { toolIds: 'all' }],
    ['config.toolIds.0 invalid_format', { toolIds: ['nope'] }],
    ['config.kbStoreIds.1 unknown_id', { kbStoreIds: [...checks.knowledgeBaseIds, 'nope'] }],
    ['config.fileSearchStoreIds.0 invalid_type', { fileSearchStoreIds: [7] }],
    ['config too_big', { mine: Number.POSITIVE_INFINITY }],
  ])('refuses %s', (finding, document) => {
    expect(findingsOf(document)).toEqual([finding]);
  });

  it.each<JsonObject>([
    { language: 'zh-Hant-TW', model: { provider: 'builtin', temperature: 2 }, voice: { speed: 0.5 } },
    {
      settings: {
        maxCallDuration: 10,
        silenceTimeout: 600,
        ringTimeout: 120,
        voicemail: { detection: false },
      },
    },
    { settings: { voicemail: { action: 'leave_message', message: 'Please call back.' } } },
    { systemPrompt: '', kbStoreIds: [...checks.knowledgeBaseIds], fileSearchStoreIds: ['anything'] },
  ])('accepts %j', (document) => {
    expect(findingsOf(document)).toEqual([]);
  });

  it('stores the scheme of a transfer destination in lower case', () => {
    const transfer_call = { enabled: true, mode: 'static', staticDestination: 'SIP:Desk@example.com' };
    const { nativeTools } = prepare({}, { transfer_call });
    expect(nativeTools).toMatchObject({ transfer_call: { staticDestination: 'sip:Desk@example.com' } });
  });

  it('reports all errors, the first in the message', () => {
    const document = { voice: { speed: 9 }, settings: { ringTimeout: 1 } };
    expect(findingsOf(document)).toEqual([
      'config.voice.speed too_big',
      'config.settings.ringTimeout too_small',
    ]);
  });

  it('drops repeated ids', () => {
    expect(prepare({ fileSearchStoreIds: ['a', 'b', 'a'] }).fileSearchStoreIds).toEqual(['a', 'b']);
    const [id = ''] = checks.knowledgeBaseIds;
    expect(prepare({ kbStoreIds: [id, id.toUpperCase()] }).kbStoreIds).toEqual([id]);
  });
});

describe('analysis fields [assistants.17]', () => {
  const at = 'config.settings.postCallAnalysis.fields';
  const withFields = (...fields: unknown[]): JsonObject => ({ settings: { postCallAnalysis: { fields } } });

  it.each<[string, unknown]>([
    ['0 invalid_type', 'interest'],
    ['0.type not_allowed', { ...field, type: 'date' }],
    ['0.name invalid_format', { ...field, name: 'first name' }],
    ['0.name required', { type: 'string', description: '' }],
    ['0.description required', { type: 'string', name: 'a' }],
    ['0.choices required', { ...field, type: 'enum' }],
    ['0.choices required', { ...field, type: 'enum', choices: [] }],
    ['0.choices.0 invalid_type', { ...field, type: 'enum', choices: [1] }],
    ['0.required invalid_type', { ...field, required: 'yes' }],
    ['0.examples invalid_type', { ...field, examples: ['a'] }],
  ])('refuses %s', (finding, wrong) => {
    expect(findingsOf(withFields(wrong))).toEqual([`${at}.${finding}`]);
  });

  it('has at most 100 fields, and a field at most 100 choices', () => {
    const named = (count: number) => Array.from({ length: count }, (_, i) => ({ ...field, name: `f${i}` }));
    const choosing = (count: number) => ({
      ...field,
      type: 'enum',
      choices: Array.from({ length: count }, (_, i) => `c${i}`),
    });
    expect(findingsOf(withFields(...named(100)))).toEqual([]);
    expect(findingsOf(withFields(...named(101)))).toEqual([`${at} too_big`]);
    expect(findingsOf(withFields(choosing(100)))).toEqual([]);
    expect(findingsOf(withFields(choosing(101)))).toEqual([`${at}.0.choices too_big`]);
  });

  it('refuses a repeated name', () => {
    expect(findingsOf(withFields(field, { ...field, type: 'number' }))).toEqual([`${at}.1.name not_allowed`]);
  });

  it("keeps the client's own keys of a field, and omits optional ones that are null", () => {
    const { settings } = prepare(withFields({ ...field, mine: null, choices: null })) as {
      settings: { postCallAnalysis: { fields: unknown[] } };
    };
    expect(settings.postCallAnalysis.fields).toEqual([{ ...field, mine: null }]);
  });
});

describe('hostile documents [assistants.12]', () => {
  const hostile = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'mine',
    '',
  );
  const known = fc.constantFrom(
    'voice',
    'settings',
    'model',
    'transcriber',
    'provider',
    'toolIds',
    'nativeTools',
    'recording',
    'enabled',
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('json'), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.oneof(hostile, known, fc.string({ maxLength: 4 })), tie('json')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const documentOf = (key: fc.Arbitrary<string>): fc.Arbitrary<JsonObject> =>
    fc.array(fc.tuple(key, json), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));

  it('are refused with details or accepted, never anything else, and modify no prototype', () => {
    fc.assert(
      fc.property(documentOf(fc.oneof(hostile, known)), json, (document, nativeTools) => {
        try {
          prepare(document, nativeTools);
        } catch (err) {
          expect(err).toMatchObject({ code: 'VALIDATION_FAILED' });
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('keep every key of the client when stored', () => {
    fc.assert(
      fc.property(documentOf(hostile), (document) => {
        const config = prepare(document);
        for (const [key, value] of Object.entries(document)) {
          expect(Object.hasOwn(config, key)).toBe(true);
          expect(JSON.stringify(config[key])).toBe(JSON.stringify(value));
        }
        expect(Object.getPrototypeOf(config)).toBe(Object.prototype);
      }),
    );
  });

  it('keep every key of the client inside known objects too', () => {
    fc.assert(
      fc.property(documentOf(hostile), (inner) => {
        const { voice } = prepare({ voice: inner });
        expect(JSON.stringify({ voiceId: 'aria', speed: 1, ...inner })).toBe(JSON.stringify(voice));
      }),
    );
  });

  it('are complete after one completion', () => {
    fc.assert(
      fc.property(documentOf(fc.oneof(hostile, known)), (document) => {
        const once = completeConfig(document);
        expect(JSON.stringify(completeConfig(once))).toBe(JSON.stringify(once));
        for (const [key, value] of Object.entries(CONFIG_DEFAULTS)) {
          if (value !== undefined) expect(Object.hasOwn(once, key)).toBe(true);
        }
      }),
    );
  });
});
