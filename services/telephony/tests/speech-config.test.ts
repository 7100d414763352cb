import { describe, expect, it } from '@jest/globals';
import { configSchema } from '../src/config.ts';

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
  configSchema.safeParse({ ...valid, ...env }).error?.issues.map(({ message }) => message) ?? [];

describe('the speech providers of telephony', () => {
  it('need an account each [assistants.20]', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ VOICE_PROVIDERS: 'deepgram,builtin', TRANSCRIBER_PROVIDERS: 'cartesia' })).toEqual([
      'has deepgram, which needs DEEPGRAM_API_KEY or DEEPGRAM_BASE_URL',
      'has cartesia, which needs CARTESIA_API_KEY or CARTESIA_BASE_URL',
    ]);
    expect(problems({ VOICE_PROVIDERS: 'openai', OPENAI_API_KEY: 'sk' })).toEqual([]);
  });
});
