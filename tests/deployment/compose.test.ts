import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '@parley/kit/config';
import { DCLinter } from 'dclint';
import { parse } from 'yaml';
import { ROOT } from '../../scripts/stack/folders.ts';
import { SERVICES } from '../../scripts/stack/services.ts';
import type { Manifest } from './kustomize.ts';

const file = join(ROOT, 'docker-compose.yml');
const compose: Manifest = parse(readFileSync(file, 'utf8'), { merge: true });

/** `${NAME:-default}` and `${NAME-default}`, as they read where nothing is set. */
const unset = (value: unknown): string => {
  const next = String(value).replace(/\$\{\w+:?-([^{}]*)\}/g, '$1');
  return next === value ? next : unset(next);
};

describe('docker-compose.yml', () => {
  it('is taken by the published schema, with no service, port or name twice', () => {
    const rules = {
      'no-duplicate-container-names': 2,
      'no-duplicate-exported-ports': 2,
      'no-unbound-port-interfaces': 2,
      'no-version-field': 2,
    } as const;
    const found: { messages: { rule: string }[] }[] = new DCLinter({
      rules,
      quiet: false,
      debug: false,
      exclude: [],
    }).lintFiles([file], false);
    const known = new Set([...Object.keys(rules), 'invalid-schema', 'invalid-yaml']);
    expect(found.flatMap(({ messages }) => messages).filter(({ rule }) => known.has(rule))).toEqual([]);
  });

  it('has Postgres, Redis, RabbitMQ with its management, and for each service itself and its migration', () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      [...['postgres', 'redis', 'rabbitmq'], ...SERVICES.flatMap((name) => [name, `migrate-${name}`])].sort(),
    );
    expect(compose.services.rabbitmq.image).toContain('management');
    for (const name of ['postgres', 'redis', 'rabbitmq']) {
      expect(compose.services[name].healthcheck.test.length).toBeGreaterThan(0);
    }
  });

  it.each(SERVICES)('%s starts when what it needs is there, and stops within its time', (name) => {
    const service = compose.services[name];
    expect(service.depends_on).toMatchObject({
      [`migrate-${name}`]: { condition: 'service_completed_successfully' },
      ...(name === 'gateway' ? {} : { rabbitmq: { condition: 'service_healthy' } }),
    });
    expect(compose.services[`migrate-${name}`].depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
    });
    expect(service.stop_grace_period).toBe('35s');
    expect(service.build.args).toEqual({ SERVICE: name });
  });

  it.each(SERVICES)('%s can read its environment, and has no secret that it does not read', async (name) => {
    const { configSchema } = await import(`../../services/${name}/src/config.ts`);
    const given = Object.entries(compose.services[name].environment);
    const env = Object.fromEntries(given.map(([key, value]) => [key, unset(value)]));
    expect(() => parseConfig(configSchema, env)).not.toThrow();
    const unread = [
      'AMQP_URL',
      'ENCRYPTION_KEYS',
      'KEY_PEPPER',
      'RECORDING_URL_SECRET',
      'OPENAI_API_KEY',
      'REDIS_URL',
    ].filter((key) => key in env && !(key in configSchema.shape));
    expect(unread).toEqual([]);
  });
});
