import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  brokerConfig,
  ConfigError,
  cidrList,
  encryptionKeys,
  parseConfig,
  serviceConfig,
  url,
} from './index.ts';

const good = {
  PORT: '8081',
  DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:5432/x',
  AMQP_URL: 'amqp://guest:guest@127.0.0.1:5672',
  INTERNAL_TOKEN_SECRET: 'x'.repeat(32),
};

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    parseConfig(serviceConfig(brokerConfig), env);
  } catch (err) {
    if (err instanceof ConfigError) return err.problems;
    throw err;
  }
  return [];
}

describe('parseConfig', () => {
  it('fills in defaults, takes an empty variable as absent, and freezes', () => {
    const config = parseConfig(serviceConfig({ ...brokerConfig, EXTRA: z.string().default('e') }), {
      ...good,
      LOG_LEVEL: '',
    });
    expect(config).toMatchObject({
      PORT: 8081,
      LOG_LEVEL: 'info',
      CLOCK_RATE: 1,
      AMQP_PREFIX: 'parley',
      EXTRA: 'e',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('names every wrong variable at once and shows no value', () => {
    const problems = problemsOf({
      ...good,
      PORT: 'abc',
      DATABASE_URL: 'mysql://u:hunter2@x',
      AMQP_URL: undefined,
    });
    expect(problems).toEqual([
      'PORT must be a number',
      'DATABASE_URL must be a postgres URL',
      'AMQP_URL is required',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('refuses a fast clock in production and one without an origin, beside other problems', () => {
    expect(problemsOf({ ...good, CLOCK_RATE: '60', NODE_ENV: 'production', PORT: '-1' })).toEqual([
      'PORT must be at least 0',
      'CLOCK_RATE must be 1 in production',
      'CLOCK_ORIGIN_MS is required when CLOCK_RATE is not 1',
    ]);
    expect(problemsOf({ ...good, CLOCK_RATE: '60', CLOCK_ORIGIN_MS: '1700000000000' })).toEqual([]);
  });
});

describe('shapes', () => {
  it('reads address ranges', () => {
    expect(cidrList.parse(' 127.0.0.0/8, ::1 ')).toEqual(['127.0.0.0/8', '::1']);
    expect(cidrList.parse(undefined)).toEqual([]);
    for (const bad of ['127.0.0.0/33', '10.0.0', '::1/129', '10.0.0.0/8/8', 'x']) {
      expect(cidrList.safeParse(bad).success).toBe(false);
    }
  });

  it('reads encryption keys, the first one first', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(encryptionKeys.parse(`k2:${key},k1:${key}`).map(({ id }) => id)).toEqual(['k2', 'k1']);
    for (const bad of [`k1:${key},k1:${key}`, 'k1:c2hvcnQ=', key, '']) {
      expect(encryptionKeys.safeParse(bad).success).toBe(false);
    }
  });

  it('takes http URLs without their trailing slash', () => {
    expect(url.parse('http://127.0.0.1:8081/')).toBe('http://127.0.0.1:8081');
    expect(url.safeParse('ftp://x').success).toBe(false);
  });
});
