import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  brokerConfig,
  ConfigError,
  cidrList,
  encryptionKeys,
  hostList,
  internalUrlsOf,
  parseConfig,
  serviceConfig,
  url,
} from './index.ts';

const good = {
  PORT: '8081',
  DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:5432/x',
  AMQP_URL: 'amqp://guest:guest@127.0.0.1:5672',
  INTERNAL_SIGNING_KEYS: Buffer.alloc(32, 1).toString('base64'),
  INTERNAL_VERIFY_KEYS: `gateway:${Buffer.alloc(32, 2).toString('base64')}`,
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
  it('applies defaults, treats an empty variable as missing, and freezes', () => {
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

  it('reports every invalid variable at once and shows no value', () => {
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

  it('refuses a fast clock in production and one without an origin, together with other problems', () => {
    expect(problemsOf({ ...good, CLOCK_RATE: '60', NODE_ENV: 'production', PORT: '-1' })).toEqual([
      'PORT must be at least 0',
      'CLOCK_RATE must be 1 in production',
      'CLOCK_ORIGIN_MS is required when CLOCK_RATE is not 1',
    ]);
    expect(problemsOf({ ...good, CLOCK_RATE: '60', CLOCK_ORIGIN_MS: '1700000000000' })).toEqual([]);
  });
});

describe('published development secrets [trust.16]', () => {
  const published = {
    ...good,
    KEY_PEPPER: 'dev-only-key-pepper-not-for-production',
    ENCRYPTION_KEYS: 'dev:ZGV2LW9ubHkta2V5LW5vdC1mb3ItcHJvZHVjdGlvbiE=',
  };
  const schema = serviceConfig({ KEY_PEPPER: z.string(), ENCRYPTION_KEYS: encryptionKeys });
  const namesOf = (env: Record<string, string>) => {
    const result = schema.safeParse({ ...published, ...env });
    return result.error?.issues.map(({ path }) => path[0]) ?? [];
  };

  it.each(['0.0.0.0', '::', '10.1.2.3', 'gateway'])('are refused where the process listens on %s', (HOST) => {
    expect(namesOf({ HOST })).toEqual(['KEY_PEPPER', 'ENCRYPTION_KEYS']);
  });

  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('are accepted on %s', (HOST) => {
    expect(namesOf({ HOST })).toEqual([]);
  });

  it('are refused at any position of a list of verification secrets', () => {
    const links = serviceConfig({ LINKS: z.string().transform((value) => value.split(',')) });
    const of = (LINKS: string) => links.safeParse({ ...good, HOST: '0.0.0.0', LINKS }).success;
    expect([of('one,two'), of('one,dev-only-recording-url-secret')]).toEqual([true, false]);
  });

  it('include the passwords of the servers in docker-compose.yml, in production', () => {
    const env = {
      HOST: '0.0.0.0',
      KEY_PEPPER: 'p',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    };
    const urls = { DATABASE_URL: 'postgres://parley:parley-dev@postgres:5432/parley_gateway' };
    expect(namesOf({ ...env, ...urls, NODE_ENV: 'production' })).toEqual(['DATABASE_URL']);
    expect(namesOf({ ...env, ...urls, NODE_ENV: 'development' })).toEqual([]);
    expect(namesOf({ ...env, NODE_ENV: 'production' })).toEqual([]);
  });

  it('may decrypt existing data, behind another key', () => {
    const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
    const env = { HOST: '0.0.0.0', KEY_PEPPER: 'p', ENCRYPTION_KEYS: `${key},${published.ENCRYPTION_KEYS}` };
    expect(namesOf(env)).toEqual([]);
  });
});

describe('SECRETS_FILE', () => {
  it('adds variables that are missing or empty in the environment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
    const SECRETS_FILE = join(folder, 'env');
    writeFileSync(SECRETS_FILE, 'A=of the file\nB=of the file\nC="k1:a=,k2:b="\n');
    const schema = z.object({ A: z.string(), B: z.string(), C: z.string() });
    const config = parseConfig(schema, { SECRETS_FILE, A: 'of the environment', B: '' });
    expect(config).toEqual({ A: 'of the environment', B: 'of the file', C: 'k1:a=,k2:b=' });
    rmSync(folder, { recursive: true });
    expect(() => parseConfig(schema, { SECRETS_FILE })).toThrow(ConfigError);
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

  it('reads host names', () => {
    expect(hostList.parse(' Host.Docker.internal, receiver ')).toEqual(['host.docker.internal', 'receiver']);
    expect(hostList.parse(undefined)).toEqual([]);
    for (const bad of ['*.example.com', '127.0.0.1', '::1', 'host:80', 'http://host', 'a..b', 'a b', '.a']) {
      expect(hostList.safeParse(bad).success).toBe(false);
    }
  });

  it('reads encryption keys in order', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(encryptionKeys.parse(`k2:${key},k1:${key}`).map(({ id }) => id)).toEqual(['k2', 'k1']);
    for (const bad of [`k1:${key},k1:${key}`, 'k1:c2hvcnQ=', key, '']) {
      expect(encryptionKeys.safeParse(bad).success).toBe(false);
    }
  });

  it('removes the trailing slash of http URLs', () => {
    expect(url.parse('http://127.0.0.1:8081/')).toBe('http://127.0.0.1:8081');
    expect(url.safeParse('ftp://x').success).toBe(false);
  });
});

describe('internalUrlsOf', () => {
  it('includes the ports of broker, Redis, metrics and traces besides those of services', () => {
    const config = {
      HOST: '::',
      PORT: 8080,
      INTERNAL_PORT: 8090,
      AMQP_URL: 'amqp://guest:guest@rabbitmq:5672/',
      REDIS_URL: 'redis://redis:6380',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    };
    const urls = internalUrlsOf(config);
    for (const url of [
      'http://[::]:8080',
      'http://[::]:8090',
      'http://rabbitmq:15672',
      'http://rabbitmq:15692',
    ])
      expect(urls).toContain(url);
    for (const url of [config.AMQP_URL, config.REDIS_URL, config.OTEL_EXPORTER_OTLP_ENDPOINT])
      expect(urls).toContain(url);
    // Redis and the SIP edges' listener for workers are included even for a service without their variables.
    for (const url of ['http://127.0.0.1:6379', 'http://127.0.0.1:5066'])
      expect(internalUrlsOf({ HOST: '127.0.0.1', PORT: 8082 })).toContain(url);
  });

  it('includes every SIP edge, and the worker', () => {
    const edges = ['ws://edge-1:5066', 'wss://edge-2:7443'];
    const urls = internalUrlsOf({
      HOST: '0.0.0.0',
      PORT: 8082,
      SIP_EDGE_URL: edges,
      WORKER_URL: 'http://worker:8086',
    });
    for (const url of [...edges, 'http://worker:8086']) expect(urls).toContain(url);
  });
});
