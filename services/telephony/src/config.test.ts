import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configSchema } from './config.ts';
import { audioCallsOn } from './limits/audio-calls.ts';

const valid = {
  PORT: '1',
  DATABASE_URL: 'postgres://u:p@127.0.0.1/x',
  AMQP_URL: 'amqp://127.0.0.1',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  INTERNAL_SIGNING_KEYS: Buffer.alloc(32, 1).toString('base64'),
  INTERNAL_VERIFY_KEYS: `gateway:${Buffer.alloc(32, 2).toString('base64')}`,
  PUBLIC_URL: 'http://127.0.0.1:1',
  RECORDING_URL_SECRET: 'x'.repeat(32),
  RECORDINGS_DIR: '/tmp/recordings',
  ASSISTANTS_URL: 'http://127.0.0.1:2',
  CAMPAIGNS_URL: 'http://127.0.0.1:3',
  GATEWAY_INTERNAL_URL: 'http://127.0.0.1:4',
};

const problems = (env: Record<string, string>): string[] =>
  configSchema
    .safeParse({ ...valid, ...env })
    .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
const listOf = (...list: unknown[]) => ({ SPEECH_PROVIDERS: JSON.stringify(list) });

it('a worker carries as many spoken calls as its machine can, unless the operator says another number [running.13]', () => {
  const maxOf = (env: Record<string, string>) => configSchema.parse({ ...valid, ...env }).MAX_AUDIO_CALLS;
  expect(maxOf({})).toBe(audioCallsOn(availableParallelism()));
  expect(maxOf({ MAX_AUDIO_CALLS: '7' })).toBe(7);
});

describe('the speech providers of telephony [running.12]', () => {
  it('are optional, and need an account each', () => {
    expect(problems({})).toEqual([]);
    const list = [
      { name: 'a', type: 'deepgram' },
      { name: 'b', type: 'openai' },
      { name: 'c', type: 'azure', api_key: 'x' },
      { name: 'd', type: 'flite' },
    ];
    expect(problems(listOf(...list))).toEqual([
      'SPEECH_PROVIDERS.0 needs api_key or the variable DEEPGRAM_API_KEY',
      'SPEECH_PROVIDERS.1 needs api_key, base_url or the variable OPENAI_API_KEY',
      'SPEECH_PROVIDERS.2 needs base_url and api_key',
    ]);
    expect(problems({ ...listOf(...list.slice(0, 2)), OPENAI_API_KEY: 'sk', DEEPGRAM_API_KEY: 'd' })).toEqual(
      [],
    );
  });

  it('are JSON, or in a JSON file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'parley-')), 'speech.json');
    writeFileSync(path, JSON.stringify([{ name: 'a', type: 'flite' }]));
    expect(problems({ SPEECH_PROVIDERS: path })).toEqual([]);
    expect(problems({ SPEECH_PROVIDERS: '[{' })).toEqual(['SPEECH_PROVIDERS is not valid JSON']);
    expect(problems({ SPEECH_PROVIDERS: '/nowhere.json' })[0]).toContain('/nowhere.json cannot be read');
  });

  it.each<[string, unknown]>([
    ['an unknown type', { name: 'a', type: 'acme' }],
    ['no name', { type: 'flite' }],
    ['the name builtin', { name: 'builtin', type: 'flite' }],
    ['an unknown key', { name: 'a', type: 'flite', apikey: 'x' }],
    ['a base_url that is none', { name: 'a', type: 'openai', base_url: 'localhost:8000' }],
  ])('with %s are refused', (_, provider) => {
    expect(problems(listOf(provider))).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ['an unknown type', { name: 'a', type: 'acme', api_key: 'k' }, 'LIVE_MODELS.0.type'],
    [
      'neither a key nor an address',
      { name: 'a', type: 'gemini-live' },
      'LIVE_MODELS.0 needs api_key or base_url',
    ],
    [
      'the name of a model that writes',
      { name: 'openai', type: 'openai-realtime', api_key: 'k' },
      'LIVE_MODELS.0.name',
    ],
    [
      'the name of a speech provider',
      { name: 'flite', type: 'gemini-live', api_key: 'k' },
      'LIVE_MODELS.0.name',
    ],
  ])('live models with %s are refused [assistants.23]', (_, model, problem) => {
    const env = { ...listOf({ name: 'flite', type: 'flite' }), LIVE_MODELS: JSON.stringify([model]) };
    expect(problems(env)).toEqual([expect.stringContaining(problem)]);
  });

  it('take a key as a file has it, and none that a header cannot carry', () => {
    const { data } = configSchema.safeParse({ ...valid, DEEPGRAM_API_KEY: 'dg-key\n' });
    expect(data?.DEEPGRAM_API_KEY).toBe('dg-key');
    const bad = 'sk-…\nsecond line';
    const env = {
      ...listOf({ name: 'a', type: 'deepgram', api_key: bad }),
      LIVE_MODELS: JSON.stringify([{ name: 'live', type: 'gemini-live', api_key: bad }]),
      OPENAI_API_KEY: bad,
    };
    const found = problems(env);
    expect(found.map((each) => each.split(' ')[0]).sort()).toEqual([
      'LIVE_MODELS.0.api_key',
      'OPENAI_API_KEY',
      'SPEECH_PROVIDERS.0.api_key',
    ]);
    expect(found.join()).not.toContain('second line');
  });

  it('have a name each', () => {
    const twice = { name: 'a', type: 'flite' };
    expect(problems(listOf(twice, twice))).toEqual(['SPEECH_PROVIDERS.1.name must be unique']);
  });
});

describe('lists of the configuration', () => {
  it.each([
    ['CARRIERS', 'sip, simulator,', ['sip', 'simulator']],
    [
      'SIP_EDGE_URL',
      ' ws://10.0.3.7:5066 ,, ws://10.0.3.8:5066,',
      ['ws://10.0.3.7:5066', 'ws://10.0.3.8:5066'],
    ],
    ['SIP_CODECS', 'PCMU , G722,', ['PCMU', 'G722']],
    ['WEB_UDP_ADDRESSES', ' 127.0.0.1, ::1,', ['127.0.0.1', '::1']],
    [
      'SIP_TRUNK_NETWORKS',
      'Provider.example=198.51.100.0/24, provider.example=2001:db8::/32,',
      [
        { host: 'provider.example', cidr: '198.51.100.0/24' },
        { host: 'provider.example', cidr: '2001:db8::/32' },
      ],
    ],
    ['OUTBOUND_ALLOW_CIDRS', ' 127.0.0.0/8, ::1,', ['127.0.0.0/8', '::1']],
  ] as const)('%s: space around items and empty items do not count', (name, value, items) => {
    expect(configSchema.shape[name].parse(value)).toEqual(items);
  });

  it.each(['198.51.100.0/24', 'provider.example=', '=10.0.0.0/8', 'provider.example=10.0.0.0/33', 'a=b=c'])(
    'SIP_TRUNK_NETWORKS does not take %s',
    (value) => {
      expect(configSchema.shape.SIP_TRUNK_NETWORKS.safeParse(value).success).toBe(false);
    },
  );

  it.each([
    ['127.0.0.1', '203.0.113.10', true],
    ['127.0.0.1', '203.0.113.10,2001:db8::1', false],
    ['::', '203.0.113.10,2001:db8::1', true],
  ])('WEB_UDP_ADDRESSES may be IPv6 only if HOST is: %s, %s', (HOST, WEB_UDP_ADDRESSES, isValid) => {
    const fields = problems({ HOST, WEB_UDP_ADDRESSES }).map((problem) => problem.split(' ')[0]);
    expect(fields).toEqual(isValid ? [] : ['WEB_UDP_ADDRESSES']);
  });

  it.each([
    ['21000-21999', true],
    ['21000-21001', true],
    ['21001-21003', true],
    ['21000-21000', false],
    ['21001-21002', false],
    ['21003-21001', false],
  ])('WEB_UDP_PORTS contain an even port and the next one: %s', (value, isValid) => {
    expect(configSchema.shape.WEB_UDP_PORTS.safeParse(value).success).toBe(isValid);
  });

  it.each(['CARRIERS', 'SIP_CODECS', 'WEB_UDP_ADDRESSES'] as const)('%s needs an item', (name) => {
    expect(configSchema.shape[name].safeParse(' , ').success).toBe(false);
  });
});
