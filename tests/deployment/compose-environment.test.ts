import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { composeEnvironment, ROOT, SERVICES } from '@parley/devstack';
import { parseConfig } from '@parley/kit/config';
import { madeSecrets } from './made-secrets.ts';

const file = join(ROOT, 'docker-compose.yml');

describe('composeEnvironment', () => {
  it.each(SERVICES)('lets %s run outside of the containers of the others', async (name) => {
    const { configSchema } = await import(`../../services/${name}/src/config.ts`);
    const env = composeEnvironment(file, name, {});
    expect(() => parseConfig(configSchema, { ...madeSecrets(name), ...env })).not.toThrow();
    expect(env.DATABASE_URL).toBe(`postgres://parley:parley-dev@127.0.0.1:5432/parley_${name}`);
    expect(env.AMQP_URL).toBe('amqp://parley:parley-dev@127.0.0.1:5672');
    expect(env.GATEWAY_INTERNAL_URL).toBe('http://127.0.0.1:8090');
    expect(env.HOST).toBe('0.0.0.0');
  });

  it('uses variables of the shell', () => {
    expect(
      composeEnvironment(file, 'webhooks', { LOG_LEVEL: 'debug', OUTBOUND_ALLOW_CIDRS: '' }),
    ).toMatchObject({
      LOG_LEVEL: 'debug',
      OUTBOUND_ALLOW_CIDRS: '',
    });
  });

  it('tells assistants whether there is a key, and not the key', () => {
    const keyOf = (given: NodeJS.ProcessEnv) => composeEnvironment(file, 'assistants', given).OPENAI_API_KEY;
    expect([keyOf({}), keyOf({ OPENAI_API_KEY: '' }), keyOf({ OPENAI_API_KEY: 'sk-1' })]).toEqual([
      undefined,
      undefined,
      'set',
    ]);
  });

  it('points links to the gateway', () => {
    const publicUrl = (given: NodeJS.ProcessEnv) => composeEnvironment(file, 'telephony', given).PUBLIC_URL;
    expect(publicUrl({})).toBe('http://127.0.0.1:8080');
    expect(publicUrl({ GATEWAY_PORT: '9000' })).toBe('http://127.0.0.1:9000');
    expect(publicUrl({ GATEWAY_PORT: '9000', PUBLIC_URL: 'https://a.example' })).toBe('https://a.example');
  });
});
